package merchant

// PayoutPlan decides how a transaction is paid out to its merchant (contract §6.7).
type PayoutPlan string

// The plans.
const (
	SinglePayment          PayoutPlan = "SINGLE_PAYMENT"
	TrueInstallment        PayoutPlan = "TRUE_INSTALLMENT"
	AcceleratedInstallment PayoutPlan = "ACCELERATED_INSTALLMENT"
)

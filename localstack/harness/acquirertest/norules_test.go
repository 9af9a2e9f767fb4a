package acquirertest_test

// Reasons why a sentence states no rule for an acquirer.
const (
	names      = "names or defines something"
	ofCaller   = "a rule for the platform, which makes the call"
	noAnswer   = "the acquirer's answer does not show the effect"
	inProse    = "a statement about this repository"
	byPayments = "a rule of package payments, whose own tests check it"
	noMeans    = "no case can make the acquirer do it; reconcile reports a line that breaks the rule"
)

// noRules lists the sentences that no case tests, by the reason.
var noRules = map[string][]string{
	names: {
		"package acquirer: Package acquirer is the port to the acquirers that charge cards and other payment " +
			"instruments.",
		"Charge: Charge requests one payment.",
		"Agreement: Agreement is an earlier consent under which a charge without the payer is made.",
		"Seller: Seller is the merchant that a charge is for, as the card schemes require platforms to report it.",
		"Exemption: Exemption is an exemption from strong customer authentication (Regulation (EU) 2018/389).",
		"lowValueLimit: lowValueLimit is the highest amount of an exempt payment in euros.",
		"Reference: Reference identifies the checkout that a charge pays.",
		"Acquirer: Acquirer charges payers and refunds them.",
		"Refund: Refund is a request to return money.",
		"Kind: Kind is the kind of a movement of money.",
		"CaptureMovement: The kinds.",
		"Movement: Movement is one line of the acquirer's statement.",
		"Kind.Sign: Sign returns 1 for a kind after which the acquirer owes us more, -1 for a kind after which it owes us " +
			"less, and 0 for any other text.",
		"Kind.OfCharge: OfCharge returns true if movements of the kind move money of a single charge.",
		"Movement.Fee: The zero Amount means no fee.",
		"Movement.AvailableOn: Only the date counts.",
		"Movement.AvailableOn: The zero time means the date of At.",
		"LateSettlements: LateSettlements is the time by which a statement may show a settlement, a returned settlement " +
			"or a fee after it was booked.",
		"AvailableBefore: AvailableBefore and AvailableAfter bound AvailableOn.",
		"AvailableBefore: The last of twelve monthly instalments is available more than a year after its booking.",
		"SettledWithin: SettledWithin is the longest time from AvailableOn to the settlement of a movement.",
		"Decision: Decision is the state of a charge or refund at the acquirer.",
		"Approved: The decisions.",
		"Outcome: Outcome is an acquirer's answer about a charge or refund.",
		"Outcome.AuthCode: issuer's authorization code",
		"Outcome.TerminalID: acquirer's TID",
		"PaymentCode: PaymentCode is a code that a payer pays at a bank: a boleto's barcode or a Pix \"copy and " +
			"paste\" code.",
	},
	noAnswer: {
		"Charge.Descriptor: shown on the payer's statement",
		"Charge.ReturnURL: ReturnURL is where a method's page, or the page of a challenge, sends the payer by a link (GET) " +
			"afterwards; \"\" at a reader.",
		"Charge.ReturnURL: For a challenge it contains the payer's session: neither log nor store it with other records.",
		"Acquirer: The Step must lead to a host in the operator's setting acquirerHosts, over https.",
		"Acquirer: Browsers apply a page's form-action policy also to the redirects that follow a form.",
		"Acquirer: So a form must lead to a page, or redirect only to hosts in the setting.",
		"Acquirer: If the acquirer redirects the payer to an issuer at once, the Step must be a link.",
		"Seller.Account: the merchant's account at the acquirer; \"\": the platform's own; an ID is known in all accounts",
	},
	noMeans: {
		"Acquirer.Statement: A line of a charge appears within 24 hours.",
		"Acquirer.Statement: If settlements, returned settlements or fees may appear later, by up to LateSettlements, " +
			"every walk also yields those that were booked in this time before since.",
		"ChargebackReversedMovement: the issuer gave back a chargeback",
		"RefundFailedMovement: a refund came back from the payer's bank",
		"SettlementReturnedMovement: a settlement came back from our bank",
		"FeeMovement: a fee for no single charge, such as a monthly fee",
		"Movement: Every movement must be settled within SettledWithin: reconcile reports the days that no settlement " +
			"covers.",
		"Movement.Tenant: Money of the platform itself, such as a fee for the whole account, has " +
			"identity.PlatformTenant of its mode.",
		"Movement.Amount: The Amount of a fee or returned settlement is not zero.",
		"Movement.Amount: A negative fee is given back.",
		"Movement.Amount: A negative returned settlement is the debit of a negative settlement that our bank refused.",
		"Movement.Fee: A negative Fee is given back.",
		"Movement.Fee: Returned settlements and fees have none.",
		"Movement.Reserve: Negative: it pays an earlier part out.",
	},
	ofCaller: {
		"Charge.Present: set only if a terminal charges",
		"Charge.Card: with CardMethod only: either Card or Token",
		"Charge.Wallet: with GooglePay only: the JSON object that the wallet gave the payer's device",
		"Charge.Payer: set only for methods that need the payer's details",
		"Charge.Browser: of the present payer; nil if unknown",
		"Seller.Country: ISO 3166-1 alpha-2",
		"LowValue: LowValue exempts a remote payment of at most 30 EUR (article 16).",
		"Charge.IsLowValue: IsLowValue returns true if the charge may have the exemption LowValue.",
		"Charge.IsLowValue: A charge that begins an agreement may not, because the payer must then be authenticated " +
			"(article 14).",
		"Charge.IsLowValue: A charge under an agreement needs no exemption.",
		"Refund.Amount: more than zero",
		"Acquirer: The Step of a challenge is a link or a form (payments.Step).",
		"Acquirer: Clients do not see the Step: the payer's browser asks the platform, which asks LookUp and then leads " +
			"the browser on.",
		"Acquirer.Notice: A hint is never a fact: the caller asks the acquirer for each outcome.",
		"Acquirer.Hints: It replaces lost notices.",
	},
	inProse: {
		"Acquirer: Package sandbox has the built-in acquirer.",
		"Acquirer: Package stripe has one for live mode.",
		"Acquirer: Package acquirertest has a case for each rule of this interface.",
	},
	"a rule of the sandbox, whose own tests check it": {
		"Acquirer.Summary: The sandbox leaves out the expiry, because merchants try real cards there (contract §8.4).",
	},
	"package reader/run sets the reason, not the acquirer": {
		"Outcome.Reason: with Cancelled at a reader, for the merchant",
	},
	byPayments: {
		"ThreeDS.MarshalText: MarshalText returns the ECI, with a \"+\" if the liability has shifted.",
		"ThreeDS.MarshalText: So a transaction's item stays small.",
		"ThreeDS.UnmarshalText: UnmarshalText reads the form that MarshalText writes.",
	},
}

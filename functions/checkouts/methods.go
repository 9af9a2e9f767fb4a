package checkouts

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

type checkoutMethods struct {
	Items []namedMethod `json:"items"`
}

type namedMethod struct {
	ID   payments.Method `json:"id"`
	Name string          `json:"name"`
}

// listCheckoutMethods handles listCheckoutPaymentMethods. It lists the methods that can pay this checkout.
func (f family) listCheckoutMethods(ctx context.Context, req idRequest) (checkoutMethods, error) {
	if _, err := f.read(ctx, string(req.ID)); err != nil {
		return checkoutMethods{}, err
	}
	response := checkoutMethods{Items: []namedMethod{}}
	for _, m := range payments.MethodsOf(rest.Merchant(ctx)) {
		response.Items = append(response.Items, namedMethod{ID: m, Name: m.Name()})
	}
	return response, nil
}

type methodsRequest struct {
	Amount   string `query:"amount"`
	Currency string `query:"currency"`
}

type merchantMethods struct {
	Available []methodReference `json:"available_payment_methods"`
}

type methodReference struct {
	ID payments.Method `json:"id"`
}

// listMerchantMethods handles listMerchantPaymentMethods. For a currency other than the merchant's, the list is empty.
func (f family) listMerchantMethods(ctx context.Context, req methodsRequest) (merchantMethods, error) {
	merchant := rest.Merchant(ctx)
	response := merchantMethods{Available: []methodReference{}}
	if err := req.check(); err != nil {
		return response, err
	}
	if req.Currency != "" && money.Currency(req.Currency) != merchant.Currency {
		return response, nil
	}
	for _, m := range payments.MethodsOf(merchant) {
		response.Available = append(response.Available, methodReference{ID: m})
	}
	return response, nil
}

func (req methodsRequest) check() error {
	if req.Currency == "" {
		if req.Amount == "" {
			return nil
		}
		e := failure.Invalid("", "Currency must also be specified when filtering by amount") // contract §13.2
		e.Param = "currency"
		return withDetails(e)
	}
	currency, err := money.ParseCurrency(req.Currency)
	if err != nil {
		return withDetails(failure.Invalid("currency", "must be one that the platform settles in"))
	}
	if req.Amount == "" {
		return nil
	}
	switch amount, err := money.Parse(req.Amount, currency); {
	case errors.Is(err, money.ErrExponent):
		return withDetails(failure.Invalid("amount", money.Expected(err)))
	case err != nil || amount.Sign() <= 0:
		return withDetails(failure.Invalid("amount", "must be above 0 with at most the currency's decimals"))
	default:
		return nil
	}
}

// withDetails returns the failure for an invalid filter, as the error object with details (contract §13.2).
func withDetails(e *failure.Error) error {
	e = e.WithSlug("validation-failed")
	e.Details = []failure.Detail{{Message: e.Message, Reference: e.Param}}
	return e
}

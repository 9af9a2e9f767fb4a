package sdk_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sumup/sumup-go"
	"github.com/sumup/sumup-go/client"
	"github.com/sumup/sumup-go/datetime"
)

// playInGo plays the story of story.py with the vendor's Go SDK. The Go SDK cannot read a checkout at a reader.
func playInGo(t *testing.T, env map[string]string) map[string]any {
	t.Helper()
	c := sumup.NewClient(client.WithAPIKey(env["API_KEY"]), client.WithBaseURL(env["BASE_URL"]))
	ctx, code, order, seen := t.Context(), env["MERCHANT_CODE"], "go", map[string]any{}
	merchant := must(c.Merchants.Get(ctx, code, sumup.MerchantsGetParams{}))(t)
	seen["merchant"] = merchant.MerchantCode == code

	methods := must(c.Checkouts.ListAvailablePaymentMethods(ctx, code,
		sumup.CheckoutsListAvailablePaymentMethodsParams{}))(t)
	seen["card"] = slices.ContainsFunc(methods.AvailablePaymentMethods,
		func(m sumup.CheckoutsListAvailablePaymentMethodsResponseAvailablePaymentMethod) bool {
			return m.ID == "card"
		})
	create := func(reference string, amount float32) string {
		made := must(c.Checkouts.Create(ctx, sumup.CheckoutsCreateParams{Amount: amount, Currency: "EUR", MerchantCode: code,
			CheckoutReference: reference}))(t)
		return *made.ID
	}
	id := create(order, 10.1)
	must(c.Checkouts.Process(ctx, id, sumup.CheckoutsProcessParams{PaymentType: "card", Card: &sumup.Card{Name: "Ada",
		Number: "4200000000000091", ExpiryMonth: "12", ExpiryYear: "2030", Cvv: "123", Type: "VISA"}}))(t)
	paid := must(c.Checkouts.Get(ctx, id))(t)
	seen["paid"] = *paid.Status
	found := []bool{}
	for _, one := range *must(c.Checkouts.List(ctx, sumup.CheckoutsListParams{CheckoutReference: &order}))(t) {
		found = append(found, *one.ID == id)
	}
	seen["listed"] = found
	seen["deactivated"] = *must(c.Checkouts.Deactivate(ctx, create(order+"-other", 1)))(t).Status

	transaction, part := *paid.TransactionID, float32(1.5)
	// The SDK declares the reply, {}, as bytes, and cannot decode the reply. The story checks the refund below.
	_, _ = c.Transactions.Refund(ctx, code, transaction, sumup.TransactionsRefundParams{Amount: &part})
	seen["transaction"] = *must(c.Transactions.Get(ctx, code, sumup.TransactionsGetParams{ID: &transaction}))(t).Status
	refunded := []float64{}
	payments := sumup.TransactionsListParams{Types: []sumup.TransactionsListTypesItem{"PAYMENT"}}
	for _, one := range must(c.Transactions.List(ctx, code, payments))(t).Items {
		if string(*one.TransactionID) == transaction {
			refunded = append(refunded, *one.RefundedAmount)
		}
	}
	seen["refunded"] = refunded
	receipt := must(c.Receipts.Get(ctx, transaction, sumup.ReceiptsGetParams{Mid: code}))(t)
	seen["receipt"] = *receipt.TransactionData.TransactionCode == *paid.TransactionCode
	now := time.Now().UTC()
	today := datetime.NewDate(now.Year(), now.Month(), now.Day())
	seen["payouts"] = len(*must(c.Payouts.List(ctx, code, sumup.PayoutsListParams{StartDate: today, EndDate: today}))(t))

	first, second := "Ada", "Grace"
	must(c.Customers.Create(ctx, sumup.CustomersCreateParams{CustomerID: order,
		PersonalDetails: &sumup.PersonalDetails{FirstName: &first}}))(t)
	must(c.Customers.Update(ctx, order, sumup.CustomersUpdateParams{
		PersonalDetails: &sumup.PersonalDetails{FirstName: &second}}))(t)
	seen["customer"] = *must(c.Customers.Get(ctx, order))(t).PersonalDetails.FirstName
	role := must(c.Roles.Create(ctx, code, sumup.RolesCreateParams{Name: order, Permissions: []string{"members_read"}}))(t)
	seen["role"] = slices.ContainsFunc(must(c.Roles.List(ctx, code))(t).Items,
		func(one sumup.Role) bool { return one.ID == role.ID })
	if err := c.Roles.Delete(ctx, code, role.ID); err != nil {
		t.Fatal(err)
	}
	seen["owner"] = slices.ContainsFunc(must(c.Members.List(ctx, code, sumup.MembersListParams{}))(t).Items,
		func(one sumup.Member) bool { return slices.Contains(one.Roles, "role_owner") })
	seen["reader"], seen["sold"] = sellInGo(t, c, code)

	_, err := c.Checkouts.Get(ctx, "00000000-0000-4000-8000-000000000000")
	var missing *sumup.Error // the SDK returns this type only for a 404
	seen["missing"] = map[bool]int{true: 404}[errors.As(err, &missing)]
	return seen
}

// sellInGo sells at a reader, and returns the status of the reader and of the sale.
func sellInGo(t *testing.T, c *sumup.Client, code string) (status, sold any) {
	t.Helper()
	ctx := t.Context()
	reader := must(c.Readers.Create(ctx, code, sumup.ReadersCreateParams{Name: "till", PairingCode: "GOREADER"}))(t)
	for must(c.Readers.Get(ctx, code, reader.ID, sumup.ReadersGetParams{}))(t).Status != sumup.ReaderStatusPaired {
		time.Sleep(time.Second / 5)
	}
	status = must(c.Readers.GetStatus(ctx, code, string(reader.ID)))(t).Data.Status
	sale := must(c.Readers.CreateCheckout(ctx, code, string(reader.ID), sumup.ReadersCreateCheckoutParams{
		TotalAmount: sumup.CreateCheckoutRequestTotalAmount{Currency: "EUR", MinorUnit: 2, Value: 1000},
		TipRates:    []float32{0.15, 0.05, 0.1}}))(t)
	// The Go SDK does not read checkouts at readers. The transaction appears once the card is charged.
	of := sumup.TransactionsGetParams{ClientTransactionID: &sale.Data.ClientTransactionID}
	made, err := c.Transactions.Get(ctx, code, of)
	for ; err != nil && ctx.Err() == nil; made, err = c.Transactions.Get(ctx, code, of) {
		time.Sleep(time.Second / 5)
	}
	if err = errors.Join(err, c.Readers.Delete(ctx, code, reader.ID)); err != nil {
		t.Fatal(err)
	}
	return status, strings.ToLower(string(*made.Status))
}

// must returns a function that returns the value of a call. If the call has an error, the function ends the test.
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

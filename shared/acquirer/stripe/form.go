package stripe

import "net/url"

// Names of our ids in Stripe's metadata. Stripe copies an intent's metadata to the intent's charge.
const (
	metaCharge   = "attempt" // our id of a charge is the id of the checkout's attempt
	metaRefund   = "refund"
	metaTenant   = "tenant"
	metaCheckout = "checkout"
	metaCustomer = "customer"
)

// setOurs sets a value of Stripe's metadata.
func setOurs(form url.Values, name, value string) { setText(form, "metadata["+name+"]", value) }

// setText sets a parameter, unless the value is empty.
func setText(form url.Values, name, value string) {
	if value != "" {
		form.Set(name, value)
	}
}

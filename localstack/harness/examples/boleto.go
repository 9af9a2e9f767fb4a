package examples

import (
	"strings"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// Brazilian is a merchant in Brazil, with a checkout that waits for a boleto.
type Brazilian struct {
	world.Shop
	CheckoutID string
}

// NewBoleto provisions a merchant in Brazil with a checkout. The checkout's payer has chosen a boleto.
func NewBoleto(w *world.World) Brazilian {
	b := Brazilian{Shop: w.Shop().NewShop("BR", "BRL", nil)}
	b.CheckoutID = b.Create("10.10", nil)
	b.Pay(b.CheckoutID, ByBoleto)
	return b
}

// ByBoleto is the request body to pay by boleto.
var ByBoleto = map[string]any{"payment_type": "boleto", "personal_details": map[string]any{
	"first_name": "Ada", "last_name": "Lovelace", "email": "ada@example.com", "tax_id": "529.982.247-25",
	"address": map[string]any{"line_1": "Rua Um, 1", "city": "São Paulo", "postal_code": "01310-100", "state": "SP",
		"country": "BR"}}}

// Link returns the path of the boleto, and checks that the boleto can be read there.
func (b Brazilian) Link() string {
	b.Helper()
	read := b.Send("GET", "/v0.1/checkouts/"+b.CheckoutID, nil)
	path := strings.TrimPrefix(read.Text("boleto.url"), "http://cashwrap.test")
	if shown := b.Do(world.Request{Method: "GET", Path: path, APIKey: world.NoKey}); path == "" || shown.Status != 200 {
		b.Errorf("the boleto at %q: got %d %s, want a path and 200", path, shown.Status, shown.Body)
	}
	return path
}

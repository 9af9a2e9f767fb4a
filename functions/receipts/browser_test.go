package receipts_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/chromium"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestShowReceipt_WithABrowser opens receipts of a payment, a refund and a failed payment, and an invalid link.
func TestShowReceipt_WithABrowser(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("1234.50")
	pages := map[string]string{"payment": createLink(s, p.ID, 0), "refund": createLink(s, p.ID, refundEvent(s, p, "2.5")),
		"failed": createLink(s, charge(s, "11.00", nil).ID, 0)}
	web := chromium.Web{"cashwrap.test": s.Main().Checked()}
	for _, o := range []chromium.Options{{}, {Dark: true, Width: 360, NoScript: true}} {
		visitor := chromium.Open(t, web, o)
		tab := visitor.Tab()
		for name, path := range pages {
			tab.Goto(base + path)
			tab.Look("receipt-"+name, tab.CSS("h1").Text())
			if got := tab.Link("Als PDF herunterladen").Attribute("href"); got != base+path+".pdf" && got != path+".pdf" {
				t.Errorf("%s: got link %s, want %s.pdf", name, got, path)
			}
		}
		visitor.Expect("404 GET")
		tab.Goto(base + "/receipts/none")
		tab.Look("receipt-none", tab.CSS("h1").Text())
	}
}

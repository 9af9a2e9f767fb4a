package month

import (
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/books"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/localstack/simulator/shops"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// fileBank is the bank of live payouts. Operators upload files there, and report its answers to the platform.
type fileBank struct {
	*month
	files      map[string]string  // uploaded files, by message id
	executed   map[string]bool    // transfers by id; true if the bank paid the transfer
	unreported []executedTransfer // transfers whose outcome the platform does not know
	asked      int                // number of requests for files
}

type executedTransfer struct {
	id, merchant string
	paid         bool
}

// upload contains the parts of a file that the bank reads (pain.001.001.09).
type upload struct {
	MessageID string `xml:"CstmrCdtTrfInitn>GrpHdr>MsgId"`
	Orders    []struct {
		ID   string `xml:"PmtId>EndToEndId"`
		IBAN string `xml:"CdtrAcct>Id>IBAN"`
	} `xml:"CstmrCdtTrfInitn>PmtInf>CdtTrfTxInf"`
}

// newBankAction returns a function that starts one operator's work of a day, or the work of two operators at the same
// time. Each operator exports a file for the bank, and reports outcomes to the platform.
func (t *fileBank) newBankAction(currency string) func() {
	many := 1 + t.rng.IntN(3)/2
	shared := t.rng.IntN(2) == 0 // both operators use the same name for the file
	return func() {
		t.asked++
		for i := range many {
			name := fmt.Sprintf("file-%d", t.asked)
			if !shared {
				name = fmt.Sprintf("file-%d-%d", t.asked, i)
			}
			s := shops.NewScenario(t.World, nil, t.Random(5_000+t.asked), name)
			s.StartClient("treasurer", i, func(actor string, rng *rand.Rand) {
				t.exportFile(actor, name, currency)
				t.reportOutcomes(actor, rng)
				if rng.IntN(3) == 0 { // the operator lost the file
					t.exportFile(actor, name, currency)
				}
			})
		}
	}
}

// exportFile lets the platform write a file. If an answer comes, it takes the file to the bank.
func (t *fileBank) exportFile(actor, name, currency string) {
	var answer struct{ Text string }
	command := simulator.Encoded(fields{"command": "export_payouts", "id": name, "holder": "Cashwrap",
		"iban": "DE89370400440532013000", "currency": currency})
	if t.InsistOn(actor, command, &answer); answer.Text != "" {
		t.executeFile(answer.Text)
	}
}

// executeFile executes a file's orders, unless the bank already has the file.
func (t *fileBank) executeFile(text string) {
	var file upload
	if err := xml.Unmarshal([]byte(text), &file); err != nil {
		t.Find("", "the bank cannot read a file: %v", err)
		return
	}
	if before, again := t.files[file.MessageID]; again {
		if before != text {
			t.Find("", "file %s is not what it was", file.MessageID)
		}
		return
	}
	t.files[file.MessageID] = text
	payouts := books.Read(t.World).Payouts
	for _, order := range file.Orders {
		merchant := calls.Partition(payouts[order.ID].Text("pk")).Tenant.Merchant
		if _, again := t.executed[order.ID]; again || merchant == "" {
			t.Find("", "order %s of %q is in file %s", order.ID, merchant, file.MessageID)
		}
		t.checkOrder(order.ID, order.IBAN)
		t.executed[order.ID] = !t.FaultsOn || t.pays(order.ID, order.IBAN)
		t.unreported = append(t.unreported, executedTransfer{order.ID, merchant, t.executed[order.ID]})
	}
}

// pays returns true if the bank pays the transfer. The bank pays nothing to a closed or unknown account. For other
// accounts the transfer's id decides, and the bank pays most of these transfers.
func (t *fileBank) pays(id, iban string) bool {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(id)) // never fails
	return iban != sandbox.ClosedIBAN && iban != sandbox.UnknownIBAN && sum.Sum32()%8 > 0
}

// reportOutcomes reports outcomes to the platform, and some of them twice. It leaves other outcomes for another day.
func (t *fileBank) reportOutcomes(actor string, rng *rand.Rand) {
	for _, outcome := range slices.Clone(t.unreported) {
		if t.FaultsOn && rng.IntN(4) == 0 {
			continue
		}
		for range 1 + rng.IntN(5)/4 {
			if !t.settlePayout(actor, outcome) {
				return
			}
		}
		t.unreported = slices.DeleteFunc(t.unreported, func(w executedTransfer) bool { return w == outcome })
	}
}

// settlePayout reports one outcome. It returns false if no answer came.
func (t *fileBank) settlePayout(actor string, outcome executedTransfer) bool {
	command := fields{"command": "settle_payout", "merchant_code": outcome.merchant, "payout": outcome.id,
		"outcome": "paid"}
	if !outcome.paid {
		command["outcome"], command["reason"] = "rejected", "AC04"
	}
	var answer struct{ Error struct{ Code string } }
	answered := t.InsistOn(actor, simulator.Encoded(command), &answer)
	if answer.Error.Code != "" {
		t.Find("", "the outcome of payout %s is refused: %s", outcome.id, answer.Error.Code)
	}
	return answered
}

// checkExecuted checks each transfer that the bank knows: the platform must have the transfer's outcome. No other live
// payout with a positive total may be PAID.
func (t *fileBank) checkExecuted(b books.Snapshot) {
	for _, id := range simulator.Sorted(t.executed) {
		p, want := b.Payouts[id], map[bool]string{true: "PAID", false: "FAILED"}[t.executed[id]]
		if p.Text("status") != want {
			t.Find("", "payout %s is %s, at the bank it is %s", id, p.Text("status"), want)
		}
	}
	for _, id := range simulator.Sorted(b.Payouts) {
		p := b.Payouts[id]
		live := calls.Partition(p.Text("pk")).Tenant.Mode == identity.Live
		if _, known := t.executed[id]; !known && live && p.Text("status") == "PAID" && books.Minor(p["total"]) > 0 {
			t.Find("", "payout %s is PAID, the bank does not have it", id)
		}
	}
}

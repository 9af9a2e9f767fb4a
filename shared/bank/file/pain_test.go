package file_test

import (
	_ "embed"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/file"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// golden is a file with one transfer within SEPA and one transfer outside SEPA.
//
//go:embed testdata/transfers.xml
var golden string

func TestExport_Golden(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	a, b := transfer("a"), transferTo("b", "EUR")
	a.To.Holder, b.To.BIC, b.To.BranchCode = "Müller & Sons", "BANKBRSP", "1584"
	b.To.AccountNumber, b.To.CheckDigit = "00012345", "6"
	w.mustTransfer(t, b, accepted)
	w.mustTransfer(t, a, accepted)
	if text := w.export(t, request("f", "b", "a"), "b", "a"); text != golden {
		t.Errorf("got %s\nwant %s", text, golden)
	}
}

// TestExport_SEPAPart checks that the file's SEPA part has only transfers in euros within SEPA, because the part
// decides the scheme.
func TestExport_SEPAPart(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for i, c := range []struct {
		iban, amount string
		currency     money.Currency
		sepa         bool
	}{
		{germanIBAN, "10", "EUR", true}, {frenchIBAN, "999999999.99", "EUR", true}, {frenchIBAN, "1000000000", "EUR", false},
		{brazilianIBAN, "10", "EUR", false}, {germanIBAN, "10", "USD", false}, {germanIBAN, "10", "CLP", false},
	} {
		o := transfer(fmt.Sprint("p", i))
		o.Amount, o.To.IBAN = money.MustParse(c.amount, c.currency), c.iban
		w.mustTransfer(t, o, accepted)
		r := request(fmt.Sprint("f", i), o.ID)
		r.Currency = c.currency
		text := w.export(t, r, o.ID)
		if strings.Contains(text, "<Cd>SEPA</Cd>") != c.sepa || strings.Contains(text, "-SEPA<") != c.sepa ||
			strings.Contains(text, "SLEV") != c.sepa {
			t.Errorf("%+v: got %s, want the marks of SEPA in it %t", c, text, c.sepa)
		}
		if exact := fmt.Sprintf(`<InstdAmt Ccy="%s">%s</InstdAmt>`, c.currency, o.Amount); !strings.Contains(text, exact) {
			t.Errorf("got %s, want %s in it", text, exact)
		}
	}
}

// parsed holds the parts of a file that a bank evaluates.
type parsed struct {
	Count int    `xml:"CstmrCdtTrfInitn>GrpHdr>NbOfTxs"`
	Sum   string `xml:"CstmrCdtTrfInitn>GrpHdr>CtrlSum"`
	Parts []struct {
		Count     int      `xml:"NbOfTxs"`
		Sum       string   `xml:"CtrlSum"`
		Amounts   []string `xml:"CdtTrfTxInf>Amt>InstdAmt"`
		Names     []string `xml:"CdtTrfTxInf>Cdtr>Nm"`
		Purposes  []string `xml:"CdtTrfTxInf>RmtInf>Ustrd"`
		EndToEnds []string `xml:"CdtTrfTxInf>PmtId>EndToEndId"`
	} `xml:"CstmrCdtTrfInitn>PmtInf"`
}

// drawTransfer draws a random transfer that merchants and the platform may send.
func drawTransfer(t *rapid.T, id string, c money.Currency) bank.Transfer {
	text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("aZ9 äßŁøčΔЩ&<>\"'€\x00\t\n/]\u0308漢"))),
		rapid.StringMatching(`[ -~]{100,400}`))
	to := merchant.BankAccount{Holder: text.Draw(t, "holder"),
		BIC: rapid.SampledFrom([]string{"", "BANKDEFF", "BANKFRPPXXX", "bank", "<&>"}).Draw(t, "bic")}
	to.IBAN = rapid.SampledFrom([]string{"", germanIBAN, frenchIBAN, brazilianIBAN}).Draw(t, "iban")
	if to.IBAN == "" {
		to.AccountNumber = rapid.OneOf(text, rapid.StringMatching(`[0-9A-Z. -]{1,36}`)).Draw(t, "number")
		code := rapid.OneOf(text, rapid.StringMatching(`[0-9A-Z. -]{0,36}`))
		to.BankCode, to.BranchCode = code.Draw(t, "bank code"), code.Draw(t, "branch code")
		to.CheckDigit = rapid.OneOf(text, rapid.StringMatching(`[0-9XP]?`)).Draw(t, "check digit")
	}
	minor := rapid.Int64Range(1, 199_999_999_999).Draw(t, "units")
	amount := money.MustParse(fmt.Sprint(minor), c)
	if c.Scale() == 2 && rapid.Bool().Draw(t, "cents") {
		amount = money.MustParse(fmt.Sprintf("%d.%02d", minor%1_000_000, minor%100), c)
	}
	if amount.Sign() == 0 {
		amount = money.MustParse("1", c)
	}
	return bank.Transfer{ID: id, Tenant: "L#MC1", Amount: amount, To: to, Reference: text.Draw(t, "reference")}
}

func TestExport_ValidAndAddsUp(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	v, available := sharedValidator(t)
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		c := rapid.SampledFrom([]money.Currency{"EUR", "EUR", "USD", "CLP", "BGN", "HUF"}).Draw(rt, "currency")
		r := request(fmt.Sprint("f", run))
		r.Currency = c
		debtor := drawTransfer(rt, "debtor", c).To
		var want int64
		count := 0
		for i := range rapid.IntRange(1, 5).Draw(rt, "transfers") {
			o := drawTransfer(rt, fmt.Sprintf("p%d-%d", run, i), c)
			outcome, err := w.Transfer(t.Context(), o)
			if err != nil {
				rt.Fatal(err)
			}
			r.Transfers = append(r.Transfers, o.ID)
			if outcome == accepted {
				want += o.Amount.Minor()
				count++
			}
		}
		if rapid.Bool().Draw(rt, "odd debtor") {
			r.Debtor = debtor
		}
		checkFile(rt, w, v, available, r, count, want)
	})
}

func checkFile(t *rapid.T, w *fixture, v *validator, available bool, r file.Request, count int, want int64) {
	var text strings.Builder
	if _, err := w.Export(t.Context(), &text, r); err != nil {
		// Export may fail only for an invalid debtor, or for a file without a transfer.
		if known := strings.Contains(err.Error(), "debtor") || count == 0; !known {
			t.Fatalf("got error %v, want none but of the debtor or of no transfers", err)
		}
		return
	}
	if available {
		if mistake, err := v.validate([]byte(text.String())); err != nil || mistake != "" {
			t.Fatalf("got mistake %q, %v, want none in\n%s", mistake, err, text.String())
		}
	}
	var p parsed
	if err := xml.Unmarshal([]byte(text.String()), &p); err != nil {
		t.Fatal(err)
	}
	sum, n := int64(0), 0
	for _, part := range p.Parts {
		inPart := int64(0)
		for i, amount := range part.Amounts {
			inPart += money.MustParse(amount, r.Currency).Minor()
			checkText(t, part.Names[i], 1, 70)
		}
		for _, purpose := range part.Purposes {
			checkText(t, purpose, 1, 140)
		}
		if part.Count != len(part.EndToEnds) || money.MustParse(part.Sum, r.Currency).Minor() != inPart {
			t.Fatalf("got a part that says %d transfers of %s, want %d of %d cents", part.Count, part.Sum, len(part.EndToEnds),
				inPart)
		}
		sum, n = sum+inPart, n+part.Count
	}
	if sum != want || n != count || p.Count != count || money.MustParse(p.Sum, r.Currency).Minor() != want {
		t.Fatalf("got %d transfers of %d cents, %d of %s in the header, want %d of %d cents", n, sum, p.Count, p.Sum,
			count, want)
	}
}

func checkText(t *rapid.T, text string, least, most int) {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-?:().,'+ "
	if len(text) < least || len(text) > most || strings.Trim(text, allowed) != "" || strings.TrimSpace(text) != text {
		t.Fatalf("got %q, want %d to %d characters of the SEPA set, without spaces around", text, least, most)
	}
}

// TestValidator_InvalidDocument checks that the validator really uses the schema and refuses an invalid document.
func TestValidator_InvalidDocument(t *testing.T) {
	t.Parallel()
	v, available := sharedValidator(t)
	if !available {
		return
	}
	if mistake, err := v.validate([]byte(golden)); err != nil || mistake != "" {
		t.Fatalf("got mistake %q, %v, want none", mistake, err)
	}
	for old, other := range map[string]string{
		"<NbOfTxs>2</NbOfTxs>": "", "<PmtMtd>TRF</PmtMtd>": "<PmtMtd>SEPA</PmtMtd>", ">10.00<": ">-10.00<",
		"<IBAN>DE": "<IBAN>de", "pain.001.001.09": "pain.001.001.03", "</Document>": "",
		"<EndToEndId>a": "<EndToEndId>" + strings.Repeat("a", 36), "SLEV": "OURS", "<BICFI>BANKDEFFXXX": "<BICFI>BANK",
	} {
		if mistake, err := v.validate([]byte(strings.ReplaceAll(golden, old, other))); err != nil || mistake == "" {
			t.Errorf("with %q for %q: got mistake %q, %v, want one", other, old, mistake, err)
		}
	}
}

package payments_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/secret"
)

// sandboxNumbers are the sandbox's card numbers (contract §12).
var sandboxNumbers = map[string][]string{
	"VISA": {
		"4200000000000091", "4200000000000109", "4200000000000026", "4200000000000059",
		"4200000000000042", "4200000000000067", "4200000000000018", "4200000000000075",
		"4012001037461114", "4012001037141112", "4532497088771651",
	},
	"MASTERCARD": {
		"5200000000000007", "5200000000000023", "5200000000000056", "5200000000000106",
		"5200000000000015", "5200000000000049", "5200000000000064", "5200000000000072",
		"5434580000000006", "5457350076543210", "5497260847316287",
	},
	"AMEX": {"374500262001008", "343434343434343"},
}

func TestCard_SandboxNumbers(t *testing.T) {
	t.Parallel()
	for brand, numbers := range sandboxNumbers {
		for _, number := range numbers {
			card := goodCard()
			card.Number = secret.New(number)
			if faults := cardFaults(card, start); faults != nil {
				t.Errorf("%s: got faults %v, want none", number, faults)
			}
			if got := payments.Brand(number); got != brand {
				t.Errorf("%s: got %s, want %s", number, got, brand)
			}
		}
	}
}

// TestBrand checks the first and last numbers of the networks' published ranges, and their neighbours.
func TestBrand(t *testing.T) {
	t.Parallel()
	for prefix, want := range map[string]string{
		"4": "VISA", "400000": "VISA", "499999": "VISA",
		"402600": "VISA_ELECTRON", "417500": "VISA_ELECTRON", "417501": "VISA", "450800": "VISA_ELECTRON",
		"484400": "VISA_ELECTRON", "491300": "VISA_ELECTRON", "491700": "VISA_ELECTRON",
		"510000": "MASTERCARD", "559999": "MASTERCARD", "222100": "MASTERCARD", "272099": "MASTERCARD",
		"222000": "UNKNOWN", "272100": "UNKNOWN",
		"340000": "AMEX", "379999": "AMEX", "350000": "UNKNOWN",
		"300000": "DINERS", "305999": "DINERS", "309500": "DINERS", "360000": "DINERS",
		"389999": "DINERS", "306000": "UNKNOWN",
		"352800": "JCB", "358999": "JCB", "359000": "UNKNOWN",
		"601100": "DISCOVER", "644000": "DISCOVER", "649999": "DISCOVER", "652000": "DISCOVER",
		"620000": "CUP", "810000": "CUP",
		"500000": "MAESTRO", "560000": "MAESTRO", "630400": "MAESTRO", "676770": "MAESTRO",
		"401178": "ELO", "401180": "VISA", "438935": "ELO", "506699": "ELO", "506778": "ELO", "506779": "MAESTRO",
		"509000": "ELO", "636368": "ELO", "650031": "ELO", "650034": "DISCOVER", "655058": "ELO",
		"606282": "HIPERCARD", "384100": "HIPERCARD", "384101": "DINERS",
		"000000": "UNKNOWN", "100000": "UNKNOWN", "": "UNKNOWN", "x": "UNKNOWN",
	} {
		if got := payments.Brand(prefix); got != want {
			t.Errorf("%q: got %s, want %s", prefix, got, want)
		}
	}
}

// TestBrand_ContractNames checks that Brand returns only card types of contract §2.7, because clients throw on any
// other.
func TestBrand_ContractNames(t *testing.T) {
	t.Parallel()
	known := map[string]bool{
		"AMEX": true, "CUP": true, "DINERS": true, "DISCOVER": true, "ELO": true, "ELV": true, "HIPERCARD": true,
		"JCB": true, "MAESTRO": true, "MASTERCARD": true, "VISA": true, "VISA_ELECTRON": true,
		"VISA_VPAY": true, "UNKNOWN": true,
	}
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.StringMatching(`[0-9]{0,19}`), rapid.String()).Draw(t, "number")
		if brand := payments.Brand(number); !known[brand] {
			t.Fatalf("%q: got brand %q, want one of %v", number, brand, known)
		} else if name := payments.BrandName(brand); (name == "") != (brand == "UNKNOWN") {
			t.Fatalf("%s: got name %q", brand, name)
		}
	})
}

// TestProcessAs checks the order of contract §2.7: the card type asked for at a reader, the product that the chip
// names, the brand, instalments.
func TestProcessAs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		asked, label, brand string
		installments        int
		want                string
	}{
		{"credit", "VISA DEBIT", "MAESTRO", 1, "CREDIT"}, {"debit", "VISA CREDIT", "AMEX", 2, "DEBIT"},
		{"", "ELO CREDITO", "ELO", 1, "CREDIT"}, {"", "Visa Debit", "VISA", 12, "DEBIT"},
		{"", "DEBIT MASTERCARD", "MASTERCARD", 1, "DEBIT"}, {"", "VISA", "VISA", 1, ""}, {"", "", "UNKNOWN", 1, ""},
		{"", "MAESTRO", "MAESTRO", 2, "DEBIT"}, {"", "", "VISA_ELECTRON", 1, "DEBIT"}, {"", "", "VISA_VPAY", 1, "DEBIT"},
		{"", "", "DINERS", 1, "CREDIT"}, {"", "", "HIPERCARD", 1, "CREDIT"}, {"", "", "AMEX", 1, "CREDIT"},
		{"", "", "ELO", 2, "CREDIT"}, {"", "", "CUP", 1, ""}, {"", "", "JCB", 1, ""}, {"", "", "DISCOVER", 1, ""},
	} {
		tx := payments.Transaction{CardType: c.asked, EMV: payments.EMV{ApplicationLabel: c.label},
			Card: &payments.CardSummary{Brand: c.brand}}
		tx.Installments = c.installments
		if got := tx.ProcessAs(); got != c.want {
			t.Errorf("%+v: got %q", c, got)
		}
		if tx.Card = nil; tx.ProcessAs() != "" {
			t.Errorf("%+v, without a card: got %q, want none", c, tx.ProcessAs())
		}
	}
}

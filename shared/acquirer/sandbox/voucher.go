package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Times during which a payment code can be paid (contract §4.5).
const (
	boletoTime = 3 * 24 * time.Hour
	pixTime    = 24 * time.Hour
)

// saoPaulo is the time zone of due dates. Brazil has had no summer time since 2019 (Decreto 9.772).
var saoPaulo = time.FixedZone("BRT", -3*60*60)

// withVoucher returns the charge as a voucher, with the code that the payer pays.
func (a *Acquirer) withVoucher(c charge) charge {
	c.Decision = payments.Voucher
	digest := sha256.Sum256([]byte(c.ID))
	if c.Method == payments.Boleto {
		until := c.CreatedAt.Add(boletoTime)
		c.Code = &payments.PaymentCode{Until: until, Text: boleto{
			bank: sandboxBank, due: until.In(saoPaulo), minor: c.Amount.Minor(), free: decimals(digest[:], freeField),
		}.line()}
		return c
	}
	receiver := sha256.Sum256([]byte("pix receiver " + c.Tenant))
	c.Code = &payments.PaymentCode{Until: c.CreatedAt.Add(pixTime), Text: brCode{
		key: payments.FormatUUIDv4(receiver[:]), amount: c.Amount.String(), name: c.Payee, city: "SAO PAULO",
		txID: txID(digest[:]),
	}.String()}
	return c
}

// ErrNotPayable reports a charge that is not a voucher, was cancelled or has expired.
var ErrNotPayable = errors.New("sandbox: no payable voucher")

// PayVoucher acts as the payer who pays the boleto or Pix code of the charge. It may be repeated. After PayVoucher the
// caller must send the platform a notice with the returned hint. Errors: ErrUnknownCharge, ErrNotPayable.
func (a *Acquirer) PayVoucher(ctx context.Context, chargeID string) (acquirer.Hint, error) {
	c, err := a.records.moveByPayer(ctx, chargeID, func(c charge) charge {
		if c.Decision == payments.Voucher && a.records.Time().Before(c.Code.Until) {
			return c.approve()
		}
		return c
	})
	switch {
	case err != nil:
		return acquirer.Hint{}, err
	case c.Code == nil || c.Decision != payments.Approved:
		return acquirer.Hint{}, ErrNotPayable
	default:
		return c.hint(), nil
	}
}

// boleto is a Brazilian bank slip (FEBRABAN, "Layout padrão de código de barras, boleto de cobrança").
type boleto struct {
	bank  string    // three digits
	due   time.Time // only the date counts, in the value's own time zone
	minor int64     // amount in centavos
	free  string    // 25 digits that the bank chooses
}

// sandboxBank belongs to no bank, because Banco Central assigns no number above 998. So no real bank takes a slip of
// the sandbox.
const sandboxBank = "999"

// freeField is the number of barcode digits that the bank may choose.
const freeField = 25

const reais = "9" // currency code

// line returns the "linha digitável": the 44 digits of the barcode in five fields. Each of the first three fields has
// its own check digit, so the line has 47 digits in all.
func (b boleto) line() string {
	terms := b.terms()
	check := mod11(b.bank + reais + terms + b.free)
	first, second, third := b.bank+reais+b.free[:5], b.free[5:15], b.free[15:]
	return first + mod10(first) + second + mod10(second) + third + mod10(third) + check + terms
}

// terms returns the due date and the amount in 14 digits. As the layout provides, an amount of more than ten digits
// also takes the place of the due date.
func (b boleto) terms() string {
	if b.minor >= 1e10 {
		return fmt.Sprintf("%014d", b.minor)
	}
	return fmt.Sprintf("%04d%010d", dueFactor(b.due), b.minor)
}

// dueFactor returns the days since 7 October 1997 in four digits. After 9999 (21 February 2025) they restart at 1000.
func dueFactor(due time.Time) int {
	y, m, d := due.Date()
	day := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	days := int(day.Sub(time.Date(1997, time.October, 7, 0, 0, 0, 0, time.UTC)).Hours() / 24)
	return 1000 + (days-1000)%9000
}

// mod10 returns the check digit of a field. The weights are 2, 1, 2, … from the right. The digits of the products are
// added.
func mod10(digits string) string {
	sum, weight := 0, 2
	for i := len(digits) - 1; i >= 0; i-- {
		product := int(digits[i]-'0') * weight
		sum += product/10 + product%10
		weight = 3 - weight
	}
	return fmt.Sprint((10 - sum%10) % 10)
}

// mod11 returns the check digit of the barcode. The weights are 2 to 9 from the right, repeated. The results 0, 10 and
// 11 become 1.
func mod11(digits string) string {
	sum, weight := 0, 2
	for i := len(digits) - 1; i >= 0; i-- {
		sum += int(digits[i]-'0') * weight
		if weight++; weight > 9 {
			weight = 2
		}
	}
	check := 11 - sum%11
	if check > 9 {
		check = 1
	}
	return fmt.Sprint(check)
}

// decimals converts bytes to exactly n decimal digits.
func decimals(b []byte, n int) string {
	text := new(big.Int).SetBytes(b).String()
	if len(text) < n {
		text = strings.Repeat("0", n-len(text)) + text
	}
	return text[len(text)-n:]
}

// brCode has the fields of a Pix QR code, which payers can also use as text ("copia e cola"). Source: Banco Central do
// Brasil, "Manual do BR Code", after EMV QRCPS merchant-presented mode 1.1.
type brCode struct {
	key    string // the receiver's Pix key
	amount string // amount in reais, "10.10"
	name   string // the receiver's name, shown in full up to 25 characters
	city   string // at most 15 characters
	txID   string // identifies the payment on the receiver's statement, at most 25 letters and digits
}

// String returns the text of the code, a series of tags, lengths and values. The last value is a CRC-16 over everything
// before it, including its own tag and length.
func (c brCode) String() string {
	text := field("00", "01") +
		field("26", field("00", "br.gov.bcb.pix")+field("01", c.key)) +
		field("52", "0000") +
		field("53", "986")
	if c.amount != "" {
		text += field("54", c.amount)
	}
	text += field("58", "BR") +
		field("59", plainName(c.name)) +
		field("60", c.city) +
		field("62", field("05", c.txID)) +
		"6304"
	return text + fmt.Sprintf("%04X", crc16(text))
}

func field(tag, value string) string { return fmt.Sprintf("%s%02d%s", tag, len(value), value) }

// maxName is the maximum length of the name in the standard.
const maxName = 25

// accents has the accented letters of Portuguese and similar languages. plain has their replacements, in the same
// order.
const (
	accents = "áàâãäåéèêëíìîïóòôõöúùûüçñýÁÀÂÃÄÅÉÈÊËÍÌÎÏÓÒÔÕÖÚÙÛÜÇÑÝ"
	plain   = "aaaaaaeeeeiiiiooooouuuucnyAAAAAAEEEEIIIIOOOOOUUUUCNY"
)

// plainName returns the name in characters that every reader of the code can show: São João becomes Sao Joao.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		if before, _, found := strings.Cut(accents, string(r)); found {
			r = rune(plain[utf8.RuneCountInString(before)])
		}
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == ' ', r == '.', r == '-':
			return r
		default:
			return -1
		}
	}, name)
	name = strings.TrimSpace(name[:min(len(name), maxName)])
	if name == "" {
		return "SANDBOX"
	}
	return name
}

// txID returns 25 capital letters and digits made from a digest.
func txID(digest []byte) string { return strings.ToUpper(hex.EncodeToString(digest))[:25] }

// crc16 returns the CRC-16/CCITT-FALSE (polynomial 1021, start FFFF) that EMV QRCPS §4.7.3 requires.
func crc16(text string) uint16 {
	crc := uint16(0xffff)
	for i := range len(text) {
		crc ^= uint16(text[i]) << 8
		for range 8 {
			carry := crc&0x8000 != 0
			crc <<= 1
			if carry {
				crc ^= 0x1021
			}
		}
	}
	return crc
}

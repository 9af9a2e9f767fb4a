package file

import (
	"encoding/xml"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// initiation is a customer credit transfer initiation, pain.001.001.09. It has only the fields that we use, in the
// schema's order. SEPA transfers follow the EPC's guidelines (EPC132-08). All other transfers are in a separate part.
type initiation struct {
	XMLName xml.Name      `xml:"urn:iso:std:iso:20022:tech:xsd:pain.001.001.09 Document"`
	Header  groupHeader   `xml:"CstmrCdtTrfInitn>GrpHdr"`
	Parts   []paymentPart `xml:"CstmrCdtTrfInitn>PmtInf"`
}

type groupHeader struct {
	MessageID  string `xml:"MsgId"`
	CreatedAt  string `xml:"CreDtTm"`
	Count      int    `xml:"NbOfTxs"`
	ControlSum string `xml:"CtrlSum"`
	Initiator  party  `xml:"InitgPty"`
}

type paymentPart struct {
	ID           string           `xml:"PmtInfId"`
	Method       string           `xml:"PmtMtd"`
	Count        int              `xml:"NbOfTxs"`
	ControlSum   string           `xml:"CtrlSum"`
	ServiceLevel *serviceLevel    `xml:"PmtTpInf"`
	Day          string           `xml:"ReqdExctnDt>Dt"`
	Debtor       party            `xml:"Dbtr"`
	Account      cashAccount      `xml:"DbtrAcct"`
	Agent        agent            `xml:"DbtrAgt"`
	Charges      string           `xml:"ChrgBr"`
	Transfers    []creditTransfer `xml:"CdtTrfTxInf"`
}

type serviceLevel struct {
	Code string `xml:"SvcLvl>Cd"`
}

type creditTransfer struct {
	EndToEndID string      `xml:"PmtId>EndToEndId"`
	Amount     instructed  `xml:"Amt>InstdAmt"`
	Agent      *agent      `xml:"CdtrAgt"`
	Creditor   party       `xml:"Cdtr"`
	Account    cashAccount `xml:"CdtrAcct"`
	Remittance *remittance `xml:"RmtInf"`
}

type instructed struct {
	Currency money.Currency `xml:"Ccy,attr"`
	Value    string         `xml:",chardata"`
}

type party struct {
	Name string `xml:"Nm"`
}

type cashAccount struct {
	IBAN     string         `xml:"Id>IBAN,omitempty"`
	Other    *other         `xml:"Id>Othr"`
	Currency money.Currency `xml:"Ccy,omitempty"`
}

type agent struct {
	BIC    string  `xml:"FinInstnId>BICFI,omitempty"`
	Member *member `xml:"FinInstnId>ClrSysMmbId"`
	Other  *other  `xml:"FinInstnId>Othr"`
	Branch *other  `xml:"BrnchId"`
}

type member struct {
	ID string `xml:"MmbId"`
}

type other struct {
	ID string `xml:"Id"`
}

type remittance struct {
	Text string `xml:"Ustrd"`
}

// Lengths of texts that every scheme can carry.
const (
	maxName       = 70
	maxRemittance = 140
)

// notProvided fills a field that the guidelines require but for which we have no value.
const notProvided = "NOTPROVIDED"

// writeDocument writes the file. Its bytes depend only on the export and its transfers.
func (e export) writeDocument(transfers []transfer, w io.Writer) error {
	var sepa, others []transfer
	for _, t := range transfers {
		if inSEPA(t.Amount, t.To) && inSEPA(t.Amount, e.Debtor) {
			sepa = append(sepa, t)
		} else {
			others = append(others, t)
		}
	}
	sum, err := total(transfers, e.Currency)
	if err != nil {
		return err
	}
	d := initiation{Header: groupHeader{MessageID: e.ID, CreatedAt: e.CreatedAt.UTC().Format(time.RFC3339),
		Count: len(transfers), ControlSum: sum.String(), Initiator: partyOf(e.Debtor)}}
	for _, part := range []struct {
		id, charges string
		level       *serviceLevel
		transfers   []transfer
	}{
		{e.ID + "-SEPA", "SLEV", &serviceLevel{"SEPA"}, sepa}, // SLEV: the SEPA scheme's own rule shares the charges
		{e.ID + "-OTHER", "SHAR", nil, others},
	} {
		if len(part.transfers) == 0 {
			continue
		}
		p, err := e.part(part.id, part.transfers)
		if err != nil {
			return err
		}
		p.Charges, p.ServiceLevel = part.charges, part.level
		d.Parts = append(d.Parts, p)
	}
	return encode(w, d)
}

func encode(w io.Writer, d initiation) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", " ")
	if err := encoder.Encode(d); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (e export) part(id string, transfers []transfer) (paymentPart, error) {
	sum, err := total(transfers, e.Currency)
	p := paymentPart{ID: id, Method: "TRF", Count: len(transfers), ControlSum: sum.String(), Day: e.Day,
		Debtor: partyOf(e.Debtor), Account: accountOf(e.Debtor), Agent: agent{Other: &other{notProvided}}}
	p.Account.Currency = e.Currency
	if a := agentOf(e.Debtor); a != nil {
		p.Agent = *a
	}
	for _, t := range transfers {
		p.Transfers = append(p.Transfers, creditTransferOf(t))
	}
	return p, err
}

func total(transfers []transfer, c money.Currency) (money.Amount, error) {
	sum := money.Zero(c)
	for _, t := range transfers {
		var err error
		if sum, err = sum.Add(t.Amount); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

func creditTransferOf(t transfer) creditTransfer {
	c := creditTransfer{EndToEndID: t.ID, Amount: instructed{t.Amount.Currency(), t.Amount.String()},
		Agent: agentOf(t.To), Creditor: partyOf(t.To), Account: accountOf(t.To)}
	if text := sepaText(t.Reference, maxRemittance); text != "" {
		c.Remittance = &remittance{text}
	}
	return c
}

func partyOf(a merchant.BankAccount) party {
	if name := sepaText(a.Holder, maxName); name != "" {
		return party{name}
	}
	return party{notProvided}
}

func accountOf(a merchant.BankAccount) cashAccount {
	if a.IBAN != "" {
		return cashAccount{IBAN: a.IBAN}
	}
	return cashAccount{Other: &other{nationalNumber(a)}}
}

// agentOf returns the account's bank, or nil if the IBAN alone identifies the bank.
func agentOf(a merchant.BankAccount) *agent {
	var bank agent
	if isBIC(a.BIC) {
		bank.BIC = a.BIC
	}
	if code := nationalCode(a); a.IBAN == "" && code != "" {
		bank.Member = &member{code}
		if a.BranchCode != "" && code != a.BranchCode {
			bank.Branch = &other{a.BranchCode}
		}
	}
	if bank == (agent{}) {
		return nil
	}
	return &bank
}

// sepaText returns at most max characters of a text, in the character set that every bank accepts. These are Latin
// letters, digits, / - ? : ( ) . , ' + and the space (EPC217-08). As the EPC recommends, sepaText replaces letters of
// other European alphabets by the EPC's table, and all other characters by a full stop.
func sepaText(text string, max int) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, ".") {
		b.WriteString(sepaLetters(r))
	}
	out := strings.Join(strings.Fields(b.String()), " ")
	if len(out) > max {
		out = strings.TrimRight(out[:max], " ")
	}
	return out
}

func sepaLetters(r rune) string {
	switch {
	case isSEPARune(r):
		return string(r)
	case unicode.IsSpace(r) || unicode.IsControl(r):
		return " "
	case unicode.Is(unicode.Mn, r): // an accent that belongs to the preceding letter
		return ""
	}
	if letters, ok := substitutes[r]; ok {
		return letters
	}
	if letters, ok := substitutes[unicode.ToUpper(r)]; ok {
		return strings.ToLower(letters)
	}
	return "."
}

func isSEPARune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/-?:().,'+ ", r)
}

// substitutes maps letters to their replacements by EPC217-08. Small letters are derived from capitals. Cyrillic is
// transliterated as in Bulgaria.
var substitutes = func() map[rune]string {
	latin := map[string]string{
		"A": "ÀÁÂÃÄÅĀĂĄÆ", "C": "ÇĆĈĊČ", "D": "ĎĐÐ", "E": "ÈÉÊËĒĔĖĘĚ", "G": "ĜĞĠĢ", "H": "ĤĦ", "I": "ÌÍÎÏĨĪĬĮİ",
		"J": "Ĵ", "K": "Ķ", "L": "ĹĻĽĿŁ", "N": "ÑŃŅŇŊ", "O": "ÒÓÔÕÖØŌŎŐŒ", "R": "ŔŖŘ", "S": "ŚŜŞŠȘẞ", "T": "ÞŢŤŦȚ",
		"U": "ÙÚÛÜŨŪŬŮŰŲ", "W": "Ŵ", "Y": "ÝŶŸ", "Z": "ŹŻŽ",
	}
	greek := map[string]string{
		"A": "ΑΆ", "CH": "Χ", "D": "Δ", "E": "ΕΈ", "F": "Φ", "G": "Γ", "I": "ΗΙΉΊΪ", "K": "Κ", "L": "Λ", "M": "Μ",
		"N": "Ν", "O": "ΟΩΌΏ", "P": "Π", "PS": "Ψ", "R": "Ρ", "S": "Σ", "T": "Τ", "TH": "Θ", "V": "Β", "X": "Ξ",
		"Y": "ΥΎΫ", "Z": "Ζ",
	}
	cyrillic := map[string]string{
		"A": "АЪ", "B": "Б", "CH": "Ч", "D": "Д", "E": "Е", "F": "Ф", "G": "Г", "H": "Х", "I": "И", "K": "К",
		"L": "Л", "M": "М", "N": "Н", "O": "О", "P": "П", "R": "Р", "S": "С", "SH": "Ш", "SHT": "Щ", "T": "Т",
		"TS": "Ц", "U": "У", "V": "В", "Y": "ЙЬ", "YA": "Я", "YU": "Ю", "Z": "З", "ZH": "Ж",
	}
	signs := map[string]string{
		"s": "ß", "i": "ı", "+": "&", "-": "_–—‐‑−", "'": "`´‘’‚\"“”„«»", "(": "[{<", ")": "]}>", ",": ";",
		"/": "\\|", "EUR": "€",
	}
	table := map[rune]string{}
	for _, alphabet := range []map[string]string{latin, greek, cyrillic, signs} {
		for letters, all := range alphabet {
			for _, r := range all {
				table[r] = letters
			}
		}
	}
	return table
}()

package sandbox

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// brCode is the text of a Pix QR code, also "copia e cola" (Banco Central do
// Brasil, "Manual do BR Code", after EMV QRCPS merchant-presented mode 1.1).
type brCode struct {
	key    string // the receiver's Pix key
	amount string // in reais, "10.10"
	name   string // receiver, shown in full up to 25 characters
	city   string // at most 15 characters
	txID   string // the payment's name on the receiver's statement, at most 25 letters and digits
}

// String is the code: tag, length, value, and so on, closed by a CRC-16 over
// everything before it, its own tag and length included.
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

// maxName is the field's length in the standard.
const maxName = 25

// accents are the accented letters of Portuguese and similar languages; plain has
// their replacements, in the same order.
const (
	accents = "áàâãäåéèêëíìîïóòôõöúùûüçñýÁÀÂÃÄÅÉÈÊËÍÌÎÏÓÒÔÕÖÚÙÛÜÇÑÝ"
	plain   = "aaaaaaeeeeiiiiooooouuuucnyAAAAAAEEEEIIIIOOOOOUUUUCNY"
)

// plainName keeps the characters that every reader of the code can show: São João
// becomes Sao Joao.
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

// txID shapes a digest into 25 capitals and digits.
func txID(digest []byte) string { return strings.ToUpper(hex.EncodeToString(digest))[:25] }

// crc16 is CRC-16/CCITT-FALSE (polynomial 1021, start FFFF), as EMV QRCPS §4.7.3 wants.
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

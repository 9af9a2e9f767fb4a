package examples

import (
	"strings"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

const shownReader = "rdr_0123456789abcdefghijklmnop"

// readerPlaceholders lists the placeholders of readers. A live key has no reader, because no terminal shows a pairing
// code for live mode.
var readerPlaceholders = map[string]placeholder{
	shownReader: {"READER_ID", func(fix *Fixture) string {
		if fix.isLive() {
			return "rdr_oflivemodethereisnone00000"
		}
		return fix.PairReader("SHOWN001").ID
	}},
	"2b7e1516-28ae-4a6f-9c15-88d1f0c2a3b4": {"READER_CHECKOUT_ID", func(fix *Fixture) string {
		if fix.isLive() {
			return uuid.NewString()
		}
		return world.CardReader{Shop: fix.Shop, ID: fix.Value(shownReader)}.Begin(1010)
	}},
}

func (fix *Fixture) isLive() bool { return strings.HasPrefix(fix.Merchant.Key.Plaintext, "sk_live_") }

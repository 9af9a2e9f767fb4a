package demo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/redact"
)

// printer writes to the terminal. Errors are ignored: there is no reader any more.
type printer struct{ out io.Writer }

func (p printer) title(n int, text string) { _, _ = fmt.Fprintf(p.out, "\n=== %d. %s\n\n", n, text) }

func (p printer) line(text string) { _, _ = fmt.Fprintln(p.out, text) }

// pretty is the body of a request as it may be shown.
func pretty(o object) string {
	text, err := json.Marshal(o)
	if err != nil {
		return err.Error()
	}
	return indented(redact.Request("application/json", text))
}

// prettyReply is JSON of a reply as it may be shown, and anything else without what looks like a secret.
func prettyReply(body []byte) string {
	return indented(cmp.Or(redact.Reply(body), redact.Text(string(body))))
}

func indented(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

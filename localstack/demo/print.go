package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
)

// printer writes to the terminal. Errors are ignored: there is no reader any more.
type printer struct{ out io.Writer }

func (p printer) title(n int, text string) { _, _ = fmt.Fprintf(p.out, "\n=== %d. %s\n\n", n, text) }

func (p printer) line(text string) { _, _ = fmt.Fprintln(p.out, text) }

// masked is body as it may be shown: of a card only the last four digits, and no password.
func masked(body object) object {
	shown := maps.Clone(body)
	if sent, ok := body["card"].(object); ok {
		hidden, number := maps.Clone(sent), fmt.Sprint(sent["number"])
		hidden["number"], hidden["cvv"] = "************"+number[len(number)-4:], "***"
		shown["card"] = hidden
	}
	if _, ok := body["password"]; ok {
		shown["password"] = "***"
	}
	return shown
}

func pretty(o object) string {
	text, err := json.Marshal(o)
	if err != nil {
		return err.Error()
	}
	return indented(text)
}

// indented is JSON for people, and anything else as it is.
func indented(text []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, text, "  ", "  ") != nil {
		return "  " + string(text)
	}
	return "  " + out.String()
}

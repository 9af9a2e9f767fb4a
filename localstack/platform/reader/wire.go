// Package reader is a card terminal in a terminal window. Run connects the card terminal to a platform over HTTP,
// through the interface that all card terminals have (terminal.Terminals). The card terminal charges at the acquirer.
// The platform uses a Switchboard to reach the card terminals, and Charges as the acquirer's host.
package reader

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"syscall"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/control"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// knownErrors maps names to the errors that have a meaning for the other side.
var knownErrors = map[string]error{
	"no terminal": terminal.ErrNoTerminal, "not pending": terminal.ErrNotPending, "unpaired": terminal.ErrUnpaired,
	"offline": terminal.ErrOffline, "busy": terminal.ErrBusy, "unknown checkout": terminal.ErrUnknownCheckout,
	"not taken": acquirer.ErrNotTaken, "no passcode": terminal.ErrNoPasscode,
}

const (
	maxMessage = 64 << 10
	patience   = 5 * time.Second // maximum wait for an answer
)

// answer is the answer to a message: a result, or the name of an error.
type answer[T any] struct {
	Result T      `json:"result"`
	Error  string `json:"error,omitempty"`
}

type done struct{}

type amount struct{ Value, Currency string }

func wireAmount(a money.Amount) amount { return amount{a.String(), string(a.Currency())} }

// parse returns the amount. Without a currency it returns the zero Amount.
func (a amount) parse() (money.Amount, error) {
	if a.Currency == "" {
		return money.Amount{}, nil
	}
	return money.Parse(a.Value, money.Currency(a.Currency))
}

// serve returns a handler that answers messages which carry the token.
func serve[In, Out any](token string, do func(context.Context, In) (Out, error)) http.Handler {
	return control.Admitted(token, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in In
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxMessage)).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		result, err := do(r.Context(), in)
		a := answer[Out]{Result: result}
		for name, one := range knownErrors {
			if errors.Is(err, one) {
				a.Error = name
			}
		}
		if err != nil && a.Error == "" {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_ = json.NewEncoder(w).Encode(a) // only fails if the sender has gone
	}))
}

// send sends a message and returns its result. After an error that is not in knownErrors, the message may have arrived.
func send[Out any](ctx context.Context, h control.Host, path string, in any) (Out, error) {
	var none Out
	body, err := json.Marshal(in)
	if err != nil {
		return none, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	response, err := h.Put(ctx, path, bytes.NewReader(body))
	if errors.Is(err, syscall.ECONNREFUSED) {
		return none, errors.Join(terminal.ErrOffline, err)
	}
	if err != nil {
		return none, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return none, fmt.Errorf("reader: %s answered %s", path, response.Status)
	}
	var a answer[Out]
	if err := json.NewDecoder(response.Body).Decode(&a); err != nil {
		return none, err
	}
	if a.Error == "" {
		return a.Result, nil
	}
	if err, ok := knownErrors[a.Error]; ok {
		return none, err
	}
	return none, fmt.Errorf("reader: %s answered %q", path, a.Error)
}

package simulator

import (
	"encoding/json"
	"regexp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
)

// operatorAnswer is the answer to an operator's command.
type operatorAnswer struct {
	command         string
	text            []byte
	asked, answered int64 // in logical time; not answered: linear.Never
}

// code returns the code of the error that refused the command; "" if it was done.
func (a operatorAnswer) code() string {
	return decoded[struct{ Error struct{ Code string } }](a.text).Error.Code
}

// operate runs an operator's command; false when no answer came.
func (w *World) operate(actor, command string, answer any) bool {
	v := w.park(toPlatform, nil, actor, command)
	if v.fault == faults.FailBefore {
		return false
	}
	replied := operatorAnswer{command: command, asked: w.logicalTime(), answered: linear.Never}
	out, _, err := invoke[any](w, actor, "provision", "", v.roll, json.RawMessage(command))
	if err == nil {
		replied.text, err = json.Marshal(out)
	}
	if err == nil {
		w.notef(actor, "%s → %s", command, secret.ReplaceAllLiteralString(string(replied.text), "…"))
		replied.answered = w.logicalTime()
		if answer != nil {
			err = json.Unmarshal(replied.text, answer)
		}
	}
	w.record(func() { w.answers = append(w.answers, replied) })
	return err == nil
}

// secret is a key or a secret in an answer.
var secret = regexp.MustCompile(`(sk_test|sk_live|pk_test|whsec)_[^"]*`)

// insistOn tries an operator's command until there is an answer; false when none came.
func (w *World) insistOn(actor, command string, answer any) bool {
	for range patience {
		if w.operate(actor, command, answer) {
			return true
		}
	}
	return false
}

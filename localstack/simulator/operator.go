package simulator

import (
	"encoding/json"
	"regexp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
)

// OperatorAnswer is the answer to an operator's command.
type OperatorAnswer struct {
	Command         string
	Text            []byte
	Asked, Answered int64 // in logical time; Answered is linear.Never without an answer
}

// Code returns the code of the error that refused the command, or "" if the command was carried out.
func (a OperatorAnswer) Code() string {
	return Decoded[struct{ Error struct{ Code string } }](a.Text).Error.Code
}

// Operate runs an operator's command. It returns false if no answer came.
func (w *World) Operate(actor, command string, answer any) bool {
	v := w.Park(toPlatform, nil, actor, command)
	if v.Fault == faults.FailBefore {
		return false
	}
	replied := OperatorAnswer{Command: command, Asked: w.LogicalTime(), Answered: linear.Never}
	out, _, err := Invoke[any](w, actor, "provision", "", v.roll, json.RawMessage(command))
	if err == nil {
		replied.Text, err = json.Marshal(out)
	}
	if err == nil {
		w.Notef(actor, "%s → %s", command, secret.ReplaceAllLiteralString(string(replied.Text), "…"))
		replied.Answered = w.LogicalTime()
		if answer != nil {
			err = json.Unmarshal(replied.Text, answer)
		}
	}
	w.Record(func() { w.Answers = append(w.Answers, replied) })
	return err == nil
}

var secret = regexp.MustCompile(`(sk_test|sk_live|pk_test|whsec)_[^"]*`) // matches a key or a secret in an answer

// InsistOn repeats an operator's command until an answer comes. It returns false if none came.
func (w *World) InsistOn(actor, command string, answer any) bool {
	for range Patience {
		if w.Operate(actor, command, answer) {
			return true
		}
	}
	return false
}

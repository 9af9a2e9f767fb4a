package client

import (
	"context"
	"encoding/json"
	"errors"
)

// Invoke calls a function by name, as IAM allows an operator.
type Invoke func(ctx context.Context, function string, payload json.RawMessage) (json.RawMessage, error)

// Refusal is the error in an answer to an operator.
type Refusal struct{ Code, Param, Message string }

// Error implements error.
func (r *Refusal) Error() string { return r.Code + ": " + r.Message }

// ForPeople returns a Refusal's message as an error. It returns other errors unchanged.
func ForPeople(err error) error {
	if refused, ok := errors.AsType[*Refusal](err); ok {
		return errors.New(refused.Message)
	}
	return err
}

// Operate runs a command and decodes its answer into answer, unless answer is nil. It fails with a *Refusal or with the
// function's error. No error contains an API key from the answer.
func (i Invoke) Operate(ctx context.Context, command, answer any) error {
	payload, err := json.Marshal(command)
	if err != nil {
		return err
	}
	raw, err := i(ctx, "provision", payload)
	if err != nil {
		return err
	}
	var refused struct{ Error *Refusal }
	if err := json.Unmarshal(raw, &refused); err != nil {
		return err
	}
	if refused.Error != nil {
		return refused.Error
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(raw, answer)
}

package client

import (
	"context"
	"encoding/json"
	"errors"
)

// Invoke calls a function by its name, as IAM lets an operator do.
type Invoke func(ctx context.Context, function string, payload json.RawMessage) (json.RawMessage, error)

// Refusal is the error in an operator's answer.
type Refusal struct{ Code, Param, Message string }

// Error implements error.
func (r *Refusal) Error() string { return r.Code + ": " + r.Message }

// ForPeople returns a Refusal's message alone as the error, and any other error as it is.
func ForPeople(err error) error {
	if refused, ok := errors.AsType[*Refusal](err); ok {
		return errors.New(refused.Message)
	}
	return err
}

// Operate runs a command and reads its answer unless nil. Errors: *Refusal, the function's; never with an answer's key.
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

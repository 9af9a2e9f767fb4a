package linear

import (
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/anishathalye/porcupine"
)

// Settings are those of a merchant that decide how it is paid (contract §7.2), as
// clients are shown them.
type Settings struct {
	Period    string `json:"payout_period"`
	OnDemand  bool   `json:"payout_on_demand"`
	Available bool   `json:"payout_on_demand_available"`
	Gross     bool   `json:"gross_settlement"`
}

// SettingsChange is what a request changes of them; nil: nothing of that field.
type SettingsChange struct {
	Period    *string `json:"payout_period"`
	OnDemand  *bool   `json:"payout_on_demand"`
	Available *bool   `json:"payout_on_demand_available"`
	Gross     *bool   `json:"gross_settlement"`
}

func (c SettingsChange) apply(s Settings) Settings {
	s.Period = given(c.Period, s.Period)
	s.OnDemand, s.Available = given(c.OnDemand, s.OnDemand), given(c.Available, s.Available)
	s.Gross = given(c.Gross, s.Gross)
	return s
}

func given[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}

// SettingsAnswer is what a client was answered about settings.
type SettingsAnswer int

// The answers.
const (
	NoAnswer SettingsAnswer = iota // none, or one that does not say whether the change was made
	Shown                          // the settings, after the change
	Denied                         // what is not available was asked for, and nothing is changed
)

// SettingsRequest is one request about a merchant's settings in one mode, as its
// client saw it; without a change it is a read. Call and Return are as in Request.
type SettingsRequest struct {
	Change   SettingsChange
	Operator bool // who may also ask for what is not available
	Answer   SettingsAnswer
	Shows    Settings // if Shown
	Call     int64
	Return   int64
}

func (r SettingsRequest) String() string {
	until, answer := "…", "no answer"
	if r.Return != Never {
		until = fmt.Sprint(r.Return)
	}
	switch r.Answer {
	case Shown:
		answer = fmt.Sprintf("%+v", r.Shows)
	case Denied:
		answer = "denied"
	}
	return fmt.Sprintf("[%d, %s] %s: %s", r.Call, until, r.Change, answer)
}

func (c SettingsChange) String() string {
	var parts []string
	if c.Period != nil {
		parts = append(parts, *c.Period)
	}
	for _, flag := range []struct {
		name string
		to   *bool
	}{{"on demand", c.OnDemand}, {"available", c.Available}, {"gross", c.Gross}} {
		if flag.to != nil {
			parts = append(parts, fmt.Sprintf("%s %t", flag.name, *flag.to))
		}
	}
	if len(parts) == 0 {
		return "read"
	}
	return "set " + strings.Join(parts, ", ")
}

// SettingsHistory is all that clients saw of a merchant's settings in one mode,
// which begin as they are given.
type SettingsHistory struct {
	Begin    Settings
	Requests []SettingsRequest
}

// Check finds an order of the requests that explains all answers: none is lost, and
// none is made in part. Errors: ErrNotLinear, ErrTooLong.
func (h SettingsHistory) Check() error {
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{h.Begin} },
		Step: func(s, request, _ any) []any { return request.(SettingsRequest).step(s.(Settings)) },
		Hash: func(s any) uint64 { return s.(Settings).hash() },
	}
	operations := make([]porcupine.Operation, len(h.Requests))
	lines := make([]string, len(h.Requests))
	for i, r := range h.Requests {
		operations[i], lines[i] = porcupine.Operation{ClientId: i, Input: r, Call: r.Call, Return: r.Return}, r.String()
	}
	return conclude(porcupine.CheckOperationsTimeout(model.ToModel(), operations, checkTime),
		fmt.Sprintf("settings that begin as %+v\n%s", h.Begin, strings.Join(lines, "\n")))
}

func (s Settings) hash() uint64 {
	sum := fnv.New64a()
	_, _ = fmt.Fprint(sum, s) // never fails
	return sum.Sum64()
}

// step are the settings that the request's answer allows.
func (r SettingsRequest) step(s Settings) []any {
	after := r.Change.apply(s)
	allowed := r.Operator || !given(r.Change.OnDemand, false) || after.Available
	switch {
	case r.Answer == Denied && !allowed:
		return []any{s}
	case r.Answer == Shown && allowed && after == r.Shows:
		return []any{after}
	case r.Answer == NoAnswer && allowed:
		return []any{s, after}
	case r.Answer == NoAnswer:
		return []any{s}
	default:
		return nil
	}
}

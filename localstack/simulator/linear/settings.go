package linear

import (
	"cmp"
	"fmt"
	"strings"
)

// Settings are a merchant's settings for its payouts (contract §7.2), as clients see them.
type Settings struct {
	Period    string `json:"payout_period"`
	OnDemand  bool   `json:"payout_on_demand"`
	Available bool   `json:"payout_on_demand_available"`
	Gross     bool   `json:"gross_settlement"`
}

// SettingsChange contains the settings that a request changes. Fields that it leaves out are nil.
type SettingsChange struct {
	Period    *string `json:"payout_period"`
	OnDemand  *bool   `json:"payout_on_demand"`
	Available *bool   `json:"payout_on_demand_available"`
	Gross     *bool   `json:"gross_settlement"`
}

func (c SettingsChange) apply(s Settings) Settings {
	return Settings{Period: *cmp.Or(c.Period, &s.Period), OnDemand: *cmp.Or(c.OnDemand, &s.OnDemand),
		Available: *cmp.Or(c.Available, &s.Available), Gross: *cmp.Or(c.Gross, &s.Gross)}
}

// SettingsAnswer is a kind of answer about settings.
type SettingsAnswer int

// The answers.
const (
	NoAnswer SettingsAnswer = iota // no answer, or an answer that may mean either outcome
	Shown                          // the settings, after the change
	Denied                         // the request asked for something unavailable, and nothing is changed
)

// SettingsRequest is one request about a merchant's settings in one mode, as its client saw it. Without a change it is
// a read. Call and Return are times as in Request. Without an answer, Return is Never.
type SettingsRequest struct {
	Change   SettingsChange
	Operator bool // operators may also ask for something unavailable
	Answer   SettingsAnswer
	Shows    Settings // for Shown
	Call     int64
	Return   int64
}

func (r SettingsRequest) String() string {
	answer := "no answer"
	switch r.Answer {
	case Shown:
		answer = fmt.Sprintf("%+v", r.Shows)
	case Denied:
		answer = "denied"
	}
	return fmt.Sprintf("%s: %s", r.Change, answer)
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

// SettingsHistory contains the clients' views of a merchant's settings in one mode. Begin has the first settings.
type SettingsHistory struct {
	Begin    Settings
	Requests []SettingsRequest
}

// Check finds an order of the requests that explains all answers. Errors: ErrNotLinear, ErrTooLong.
func (h SettingsHistory) Check() error { return check(h.Begin, h.Requests) }

func (r SettingsRequest) times() (call, until int64) { return r.Call, r.Return }

func (r SettingsRequest) step(s Settings) (fits bool, after Settings) {
	after = r.Change.apply(s)
	allowed := r.Operator || r.Change.OnDemand == nil || !*r.Change.OnDemand || after.Available
	switch {
	case !allowed:
		return r.Answer != Shown, s
	case r.Answer == Denied:
		return false, s
	default:
		return r.Answer == NoAnswer || after == r.Shows, after
	}
}

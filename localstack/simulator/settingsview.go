package simulator

import (
	"encoding/json"
	"net/http"

	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// settingsPath is that of retrieveMySettings and updateMySettings.
const settingsPath = "/v0.1/me/merchant-profile/settings"

// checkHistories: what all saw of each payee's settings can have happened one after the
// other, so that no change was lost or made in part.
func (m *month) checkHistories() {
	for _, p := range m.payees {
		if err := p.settingsHistory().Check(); err != nil {
			m.findings.add(finding{"", p.name + ": " + err.Error()})
		}
	}
}

// settingsHistory is what the payee and its operators saw of its settings.
func (p *payee) settingsHistory() linear.SettingsHistory {
	h := linear.SettingsHistory{Begin: linear.Settings{Period: string(merchant.DefaultSettings.Period)}}
	for _, r := range p.replies {
		if seen, ok := r.settings(); ok && r.tenant == p.tenant {
			h.Requests = append(h.Requests, seen)
		}
	}
	for _, a := range p.answers {
		if seen, ok := a.settings(p.merchant); ok {
			h.Requests = append(h.Requests, seen)
		}
	}
	return h
}

// settings is the reply as its client understands it; false when it says nothing
// about settings.
func (r *reply) settings() (seen linear.SettingsRequest, ok bool) {
	if r.Path != settingsPath || r.replayed() {
		return seen, false
	}
	seen.Call, seen.Return = r.asked, r.answered
	_ = json.Unmarshal([]byte(r.text()), &seen.Change) // a read has no body
	switch {
	case r.received && r.Status == http.StatusOK:
		seen.Answer = linear.Shown
		ok = json.Unmarshal(r.response.Body, &seen.Shows) == nil
	case r.received && r.Status == http.StatusBadRequest:
		seen.Answer, ok = linear.Denied, true
	case r.Method == http.MethodPut:
		seen.Return, ok = linear.Never, true
	}
	return seen, ok
}

// settings is the answer, if the command changes settings of the merchant.
func (a operatorAnswer) settings(of string) (seen linear.SettingsRequest, ok bool) {
	var command struct {
		Command  string
		Merchant string `json:"merchant_code"`
		linear.SettingsChange
	}
	err := json.Unmarshal([]byte(a.command), &command)
	seen = linear.SettingsRequest{Change: command.SettingsChange, Operator: true, Call: a.asked, Return: a.answered}
	if a.Error.Code == "" && a.answered != linear.Never {
		seen.Answer, seen.Shows = linear.Shown, a.Settings
	} else {
		seen.Return = linear.Never
	}
	return seen, err == nil && command.Command == "update_settings" && command.Merchant == of
}

package simulator

import (
	"encoding/json"
	"net/http"

	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// settingsPath is that of retrieveMySettings and updateMySettings.
const settingsPath = "/v0.1/me/merchant-profile/settings"

// settingsHistory is what the payee and its operators saw of its settings: it can have happened one after the
// other, so that no change was lost or made in part.
func (p *payee) settingsHistory() linear.SettingsHistory {
	h := linear.SettingsHistory{Begin: linear.Settings{Period: string(merchant.DefaultSettings.Period)}}
	for _, r := range p.replies {
		if seen, ok := settingsIn(r); ok && r.tenant == p.tenant {
			h.Requests = append(h.Requests, seen)
		}
	}
	for _, a := range p.answers {
		if seen, ok := settingsBy(a, p.merchant); ok {
			h.Requests = append(h.Requests, seen)
		}
	}
	return h
}

// settingsIn is the reply as its client understands it; false when it says nothing
// about settings.
func settingsIn(r *reply) (seen linear.SettingsRequest, ok bool) {
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

// settingsBy is the answer, if the command changes settings of the merchant.
func settingsBy(a operatorAnswer, of string) (seen linear.SettingsRequest, ok bool) {
	var command struct {
		Command  string
		Merchant string `json:"merchant_code"`
		linear.SettingsChange
	}
	err := json.Unmarshal([]byte(a.command), &command)
	seen = linear.SettingsRequest{Change: command.SettingsChange, Operator: true, Call: a.asked, Return: a.answered}
	if a.code() == "" && a.answered != linear.Never {
		seen.Answer, seen.Shows = linear.Shown, decoded[linear.Settings](a.text)
	} else {
		seen.Return = linear.Never
	}
	return seen, err == nil && command.Command == "update_settings" && command.Merchant == of
}

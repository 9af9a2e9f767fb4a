package month

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// pickSettings returns settings that a merchant or an operator might want.
func pickSettings(rng *rand.Rand) fields {
	switch rng.IntN(6) {
	case 0, 1:
		return fields{"payout_period": periods[rng.IntN(len(periods))]}
	case 2:
		return fields{"payout_on_demand": rng.IntN(2) == 0}
	case 3:
		return fields{"payout_on_demand": rng.IntN(2) == 0, "payout_on_demand_available": rng.IntN(3) > 0}
	case 4:
		return fields{"gross_settlement": rng.IntN(2) == 0}
	default:
		return fields{"payout_period": periods[rng.IntN(len(periods))], "gross_settlement": rng.IntN(2) == 0}
	}
}

// newSettingsAction returns an action in which one or two operators or merchants change settings at the same time.
func (p *payee) newSettingsAction() func() {
	rng := p.month.rng
	if rng.IntN(2) == 0 {
		return p.newCommandAction("update_settings", pickSettings(rng), p.pickCount())
	}
	changes := []fields{pickSettings(rng)}
	if p.pickCount() > 1 {
		changes = append(changes, pickSettings(rng))
	}
	return p.newGroupAction("office", func(actor string, i int, rng *rand.Rand) {
		p.Insist(actor, client.Request{Method: "PUT", Path: settingsPath, Body: simulator.Encoded(changes[i])})
		if rng.IntN(2) == 0 {
			p.Insist(actor, client.Request{Method: "GET", Path: settingsPath})
		}
	}, len(changes))
}

const settingsPath = "/v0.1/me/merchant-profile/settings" // path of retrieveMySettings and updateMySettings

// settingsHistory returns the payee's and its operators' requests about settings, with the answers. No change may be
// lost.
func (p *payee) settingsHistory() linear.SettingsHistory {
	h := linear.SettingsHistory{Begin: linear.Settings{Period: string(merchant.DefaultSettings.Period)}}
	for _, r := range p.Replies {
		if seen, ok := decodeSettingsReply(r); ok && r.Tenant == p.Tenant {
			h.Requests = append(h.Requests, seen)
		}
	}
	for _, a := range p.Answers {
		if seen, ok := decodeSettingsCommand(a, p.Merchant); ok {
			h.Requests = append(h.Requests, seen)
		}
	}
	return h
}

// decodeSettingsReply returns the request and its answer as the client understands the answer. ok is false if the reply
// says nothing about settings.
func decodeSettingsReply(r *simulator.Reply) (seen linear.SettingsRequest, ok bool) {
	if r.Path != settingsPath || r.Replayed() {
		return seen, false
	}
	seen.Call, seen.Return = r.Asked, r.Answered
	_ = json.Unmarshal([]byte(r.Sent()), &seen.Change) // a read has no body
	switch {
	case r.Received && r.Status == http.StatusOK:
		seen.Answer = linear.Shown
		ok = json.Unmarshal(r.Response.Body, &seen.Shows) == nil
	case r.Received && r.Status == http.StatusBadRequest:
		seen.Answer, ok = linear.Denied, true
	case r.Method == http.MethodPut:
		seen.Return, ok = linear.Never, true
	}
	return seen, ok
}

// decodeSettingsCommand returns the command and its answer. ok is false if the command does not change settings of the
// merchant.
func decodeSettingsCommand(a simulator.OperatorAnswer, of string) (seen linear.SettingsRequest, ok bool) {
	var command struct {
		Command  string
		Merchant string `json:"merchant_code"`
		linear.SettingsChange
	}
	err := json.Unmarshal([]byte(a.Command), &command)
	seen = linear.SettingsRequest{Change: command.SettingsChange, Operator: true, Call: a.Asked, Return: a.Answered}
	if a.Code() == "" && a.Answered != linear.Never {
		seen.Answer, seen.Shows = linear.Shown, simulator.Decoded[linear.Settings](a.Text)
	} else {
		seen.Return = linear.Never
	}
	return seen, err == nil && command.Command == "update_settings" && command.Merchant == of
}

package simulator

import (
	"encoding/json"
	"regexp"
	"strings"
)

// update is as much of a merchant's, or of a key's copy of it, as tells which
// version it writes.
type update struct {
	Key struct {
		PK struct{ S string } `json:"pk"`
		SK struct{ S string } `json:"sk"`
	}
	UpdateExpression          string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues map[string]struct {
		N json.Number
		M struct {
			Version struct{ N json.Number }
		}
	}
}

// assignment of an update expression.
var assignment = regexp.MustCompile(`([#\w]+) = (:\w+)`)

// checkMerchant sees that an update which has been done, to a merchant, took
// the place of the version before it, and to a key's copy of one, of none that
// is later.
func (m *month) checkMerchant(operation string, body []byte) {
	if operation != "UpdateItem" {
		return
	}
	var u update
	if json.Unmarshal(body, &u) != nil || u.Key.SK.S != "MERCHANT" && u.Key.SK.S != "KEY" {
		return
	}
	for _, set := range assignment.FindAllStringSubmatch(u.UpdateExpression, -1) {
		name, value := set[1], u.ExpressionAttributeValues[set[2]]
		if long, ok := u.ExpressionAttributeNames[name]; ok {
			name = long
		}
		was := m.versions[u.Key.PK.S]
		switch {
		case u.Key.SK.S == "MERCHANT" && name == "version":
			if !follows(value.N, was) {
				m.find("", "version %s of %s took the place of version %d", value.N, u.Key.PK.S, was)
			}
			m.versions[u.Key.PK.S], _ = value.N.Int64()
		case u.Key.SK.S == "KEY" && name == "merchant":
			is, _ := value.M.Version.N.Int64()
			if is < was {
				m.find("", "%s lost version %d of its merchant to %d", u.Key.PK.S, was, is)
			}
			m.versions[u.Key.PK.S] = is
		}
	}
}

// checkCopies: each key has its merchant as it is, with the settings that its
// payouts follow.
func (m *month) checkCopies(items []item) {
	merchants, schedules := map[string]item{}, map[string]item{}
	for _, i := range items {
		switch i.text("sk") {
		case "MERCHANT":
			merchants[strings.TrimPrefix(i.text("pk"), "MERCHANT#")] = i
		case "SCHEDULE":
			schedules[strings.TrimSuffix(i.text("pk"), "#PAYOUTSCHEDULE")] = i.object("settings")
		}
	}
	for _, i := range items {
		if i.text("sk") != "KEY" {
			continue
		}
		copied, merchant := i.object("merchant"), merchants[i.object("merchant").text("code")]
		if encoded(copied["version"]) != encoded(merchant["version"]) || encoded(copied["payouts"]) != encoded(merchant["payouts"]) {
			m.find("", "%s has version %v of %v with %v", i.text("pk"), copied["version"], merchant, copied["payouts"])
		}
	}
	for _, p := range m.payees {
		mode := map[bool]string{true: "live", false: "test"}[p.live()]
		if settings := merchants[p.merchant].object("payouts").object(mode); encoded(settings) != encoded(schedules[p.tenant]) {
			m.find("", "payments of %s are payable by %v, paid by %v", p.tenant, settings, schedules[p.tenant])
		}
	}
}

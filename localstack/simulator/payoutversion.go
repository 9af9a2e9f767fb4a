package simulator

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/shared/store"
)

// versioned is as much of an item in a write as shows whether a change was lost.
type versioned struct {
	Item struct {
		PK      struct{ S string } `json:"pk"`
		SK      struct{ S string } `json:"sk"`
		WriteID struct{ S string } `json:"write_id"`
		Version struct{ N json.Number }

		// of a record
		ID     struct{ S string } `json:"id"`
		Payout struct{ S string } `json:"payout_id"`
		Status struct{ S string }

		Total  stored // of a payout
		Amount stored // of a payable

		To       struct{ M storedAccount }               // of a schedule or payout
		Held     struct{ BOOL bool }                     // of a schedule
		Accounts struct{ L []struct{ M storedAccount } } // of bank accounts
		Primary  struct{ S string }                      // likewise
	}
}

// stored is an amount as stored.
type stored struct {
	M struct{ V struct{ N string } }
}

// replaced are the sort keys of items that are replaced whole, each version by
// the next.
var replaced = []string{"MERCHANT", "SCHEDULE", "PAYOUT", "BANKACCOUNTS"}

// checkVersions sees that a write that has been done, to one of replaced,
// took the place of the state before it: else it lost a change, which may be a
// setting that no sum shows; that no payout takes a payable that another has;
// and that a shortfall is carried forward in the same write.
func (m *month) checkVersions(operation string, body []byte) {
	text := string(body)
	if !slices.ContainsFunc(replaced, func(kind string) bool { return strings.Contains(text, `"`+kind+`"`) }) {
		return
	}
	puts := m.unseen(operation, body)
	if len(puts) > 0 {
		m.checkAudited(body)
	}
	for _, put := range puts {
		i := put.Item
		if i.SK.S == "PAYOUT" && i.Status.S == "COLLECTING" && strings.HasPrefix(i.Total.M.V.N, "-") {
			m.checkShortfall(i.PK.S, i.Total, puts)
		}
		if p := partition(i.PK.S); p.Kind == store.KindPayoutRecords {
			m.checkTaking(p.Tenant.String()+" "+i.ID.S, i.Payout.S, i.Status.S)
		}
		if !slices.Contains(replaced, i.SK.S) {
			continue
		}
		if was, is := m.versions[i.PK.S], i.Version.N; !follows(is, was) {
			m.find("", "version %s of %s took the place of version %d", is, i.PK.S, was)
		}
		m.versions[i.PK.S], _ = i.Version.N.Int64()
		m.checkPaying(put)
	}
}

// checkPaying holds what decides where a tenant is paid to its rules.
func (m *month) checkPaying(put versioned) {
	i := put.Item
	tenant := partition(i.PK.S).Tenant.String()
	switch i.SK.S {
	case "BANKACCOUNTS":
		v := accountsVersion{primary: i.Primary.S}
		for _, a := range i.Accounts.L {
			v.all = append(v.all, a.M)
		}
		m.checkBankAccounts(tenant, v)
	case "SCHEDULE":
		m.accountsOf(tenant).held = i.Held.BOOL
	case "PAYOUT":
		m.checkPayee(tenant, put)
	}
}

// unseen are the items of a write. A transaction that comes again is answered
// as before, and writes nothing.
func (m *month) unseen(operation string, body []byte) (puts []versioned) {
	if operation == "PutItem" {
		var put versioned
		_ = json.Unmarshal(body, &put)
		return []versioned{put}
	}
	var all struct {
		TransactItems []struct{ Put versioned }
	}
	_ = json.Unmarshal(body, &all)
	for _, i := range all.TransactItems {
		id := i.Put.Item.WriteID.S
		if id != "" && m.seen[id] {
			return nil
		}
		m.seen[id] = true
		puts = append(puts, i.Put)
	}
	return puts
}

// checkShortfall: a payable of the shortfall is written with the payout.
func (m *month) checkShortfall(payout string, total stored, puts []versioned) {
	if !slices.ContainsFunc(puts, func(p versioned) bool {
		return partition(p.Item.PK.S).Kind == store.KindPayable && strings.HasPrefix(p.Item.ID.S, "carried#") &&
			p.Item.Amount == total
	}) {
		m.find("", "%s has a shortfall of %s that is not carried forward", payout, total.M.V.N)
	}
}

// checkTaking: a payable is in one payout, until that fails.
func (m *month) checkTaking(payable, payout, status string) {
	if by := m.taken[payable]; by != "" && by != payout {
		m.find("", "payable %s was taken by the payouts %s and %s", payable, by, payout)
	}
	if m.taken[payable] = payout; status == "FAILED" {
		delete(m.taken, payable)
	}
}

func follows(version json.Number, was int64) bool {
	is, err := version.Int64()
	return err == nil && is == was+1
}

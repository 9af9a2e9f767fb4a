package account

import (
	"maps"
	"slices"
)

// recorded is shown in the place of what audit entries do not show.
const recorded = "recorded"

// ForAudit is the account as audit entries show it. Of what is personal or secret it
// shows only that it is recorded: dates of birth, numbers of registers, phones and
// addresses of persons, the certificate's access code. Of maps that are the
// operator's own it shows the names.
func (a Account) ForAudit() any {
	persons := map[string]personView{}
	for _, p := range a.Persons {
		persons[p.ID] = p.forAudit()
	}
	p := a.Profile
	p.CertificateCode = hidden(p.CertificateCode)
	p.Identifiers, p.Attributes = hiddenIdentifiers(p.Identifiers), hiddenMap(p.Attributes)
	a.Profile, a.Meta = p, hiddenMap(a.Meta)
	return struct {
		Account
		Persons map[string]personView `json:"persons,omitempty"` // in the place of Account's
	}{a, persons}
}

type personView struct {
	AccountHolder bool           `json:"account_holder,omitzero"`
	GivenName     string         `json:"given_name,omitzero"`
	MiddleName    string         `json:"middle_name,omitzero"`
	FamilyName    string         `json:"family_name,omitzero"`
	Birthdate     string         `json:"birthdate,omitzero"`
	PhoneNumber   string         `json:"phone_number,omitzero"`
	Relationships []Relationship `json:"relationships,omitempty"`
	Ownership     Ownership      `json:"ownership,omitzero"`
	Address       string         `json:"address,omitzero"`
	Identifiers   []Identifier   `json:"identifiers,omitempty"`
	Countries     [3]string      `json:"countries,omitzero"` // citizenship, nationality, residence
}

func (p Person) forAudit() personView {
	v := personView{AccountHolder: p.AccountHolder, GivenName: p.GivenName, MiddleName: p.MiddleName,
		FamilyName: p.FamilyName, Birthdate: hidden(p.Birthdate), PhoneNumber: hidden(p.PhoneNumber),
		Relationships: p.Relationships, Ownership: p.Ownership, Identifiers: hiddenIdentifiers(p.Identifiers),
		Countries: [3]string{p.Citizenship, p.Nationality, p.CountryOfResidence}}
	if p.Address != (Person{}).Address {
		v.Address = recorded
	}
	return v
}

func hidden(text string) string {
	if text == "" {
		return ""
	}
	return recorded
}

func hiddenIdentifiers(all []Identifier) []Identifier {
	all = slices.Clone(all)
	for i := range all {
		all[i].Value = recorded
	}
	return all
}

func hiddenMap(all map[string]string) map[string]string {
	all = maps.Clone(all)
	for name := range all {
		all[name] = recorded
	}
	return all
}

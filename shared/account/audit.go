package account

import (
	"maps"
	"slices"
)

// What is shown in the place of what audit entries do not show.
const (
	recorded = "recorded"
	changed  = "changed" // something else was recorded before
)

// ForAudit returns the account as audit entries show it after the one before. Of personal or secret data it shows only
// that it is recorded, or changed: dates of birth, numbers of registers, phones and addresses of persons, the
// certificate's access code. Of maps with the operator's own content it shows the names.
func (a Account) ForAudit(before Account) any {
	persons := map[string]personView{}
	for _, p := range a.Persons {
		was, _ := before.Person(p.ID)
		persons[p.ID] = p.forAudit(was)
	}
	p, was := a.Profile, before.Profile
	p.CertificateCode = hidden(p.CertificateCode, was.CertificateCode)
	p.Identifiers = hiddenIdentifiers(p.Identifiers, was.Identifiers)
	p.Attributes = hiddenMap(p.Attributes, was.Attributes)
	a.Profile, a.Meta = p, hiddenMap(a.Meta, before.Meta)
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

func (p Person) forAudit(was Person) personView {
	return personView{AccountHolder: p.AccountHolder, GivenName: p.GivenName, MiddleName: p.MiddleName,
		FamilyName: p.FamilyName, Birthdate: hidden(p.Birthdate, was.Birthdate),
		PhoneNumber: hidden(p.PhoneNumber, was.PhoneNumber), Relationships: p.Relationships, Ownership: p.Ownership,
		Address: hidden(p.Address, was.Address), Identifiers: hiddenIdentifiers(p.Identifiers, was.Identifiers),
		Countries: [3]string{p.Citizenship, p.Nationality, p.CountryOfResidence}}
}

// hidden says of a value whether it is recorded, and whether another one was before.
func hidden[T comparable](value, was T) string {
	var none T
	switch value {
	case none:
		return ""
	case was:
		return recorded
	}
	if was == none {
		return recorded
	}
	return changed
}

func hiddenIdentifiers(all, was []Identifier) []Identifier {
	all = slices.Clone(all)
	for i := range all {
		before := ""
		if i < len(was) && was[i].Ref == all[i].Ref {
			before = was[i].Value
		}
		all[i].Value = hidden(all[i].Value, before)
	}
	return all
}

func hiddenMap(all, was map[string]string) map[string]string {
	all = maps.Clone(all)
	for name, value := range all {
		all[name] = hidden(value, was[name])
	}
	return all
}

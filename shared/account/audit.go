package account

import (
	"maps"
	"slices"
)

// Texts that audit entries show in place of hidden values.
const (
	recorded = "recorded"
	changed  = "changed" // another value was recorded before
)

// ForAudit returns the account as audit entries show it. before is the account before the change. Personal and secret
// values are not shown, only the fact that a value is recorded or has changed. These are dates of birth, numbers in
// registers, phones and addresses of persons, and the certificate's access code. A map with the operator's own content
// is shown by its names only.
func (a Account) ForAudit(before Account) any {
	persons := map[string]personView{}
	for _, p := range a.Persons {
		was, _ := before.Person(p.ID)
		persons[p.ID] = p.auditView(was)
	}
	p, was := a.Profile, before.Profile
	p.CertificateCode = hide(p.CertificateCode, was.CertificateCode)
	p.Identifiers = hideIdentifiers(p.Identifiers, was.Identifiers)
	p.Attributes = hideMap(p.Attributes, was.Attributes)
	a.Profile, a.Meta = p, hideMap(a.Meta, before.Meta)
	return struct {
		Account
		Persons map[string]personView `json:"persons,omitempty"` // replaces the Persons of Account
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
	Countries     [3]string      `json:"countries,omitzero"` // citizenship, nationality and residence
}

func (p Person) auditView(was Person) personView {
	return personView{AccountHolder: p.AccountHolder, GivenName: p.GivenName, MiddleName: p.MiddleName,
		FamilyName: p.FamilyName, Birthdate: hide(p.Birthdate, was.Birthdate),
		PhoneNumber: hide(p.PhoneNumber, was.PhoneNumber), Relationships: p.Relationships, Ownership: p.Ownership,
		Address: hide(p.Address, was.Address), Identifiers: hideIdentifiers(p.Identifiers, was.Identifiers),
		Countries: [3]string{p.Citizenship, p.Nationality, p.CountryOfResidence}}
}

// hide returns the text that replaces a value. The text is "changed" if another value was recorded before, and
// otherwise "recorded". For no value hide returns "".
func hide[T comparable](value, was T) string {
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

func hideIdentifiers(all, was []Identifier) []Identifier {
	all = slices.Clone(all)
	for i := range all {
		before := ""
		if i < len(was) && was[i].Ref == all[i].Ref {
			before = was[i].Value
		}
		all[i].Value = hide(all[i].Value, before)
	}
	return all
}

func hideMap(all, was map[string]string) map[string]string {
	all = maps.Clone(all)
	for name, value := range all {
		all[name] = hide(value, was[name])
	}
	return all
}

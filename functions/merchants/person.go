package merchants

import (
	"cmp"
	"context"
	"strconv"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/failure"
)

type personRequest struct {
	versionRequest
	ID string `path:"person_id"`
}

// personView is a person of contract §13.5.
type personView struct {
	ID                 string                 `json:"id"`
	Birthdate          string                 `json:"birthdate,omitempty"`
	GivenName          string                 `json:"given_name,omitempty"`
	MiddleName         string                 `json:"middle_name,omitempty"`
	FamilyName         string                 `json:"family_name,omitempty"`
	PhoneNumber        string                 `json:"phone_number,omitempty"`
	Relationships      []account.Relationship `json:"relationships"`
	Ownership          *account.Ownership     `json:"ownership,omitempty"`
	Address            *placeView             `json:"address,omitempty"`
	Identifiers        []account.Identifier   `json:"identifiers"`
	Citizenship        string                 `json:"citizenship,omitempty"`
	Nationality        string                 `json:"nationality,omitempty"`
	CountryOfResidence string                 `json:"country_of_residence,omitempty"`
	Version            string                 `json:"version"`
	ChangeStatus       string                 `json:"change_status"`
}

type personsView struct {
	Items []personView `json:"items"`
}

// persons is listPersons.
func (f family) persons(ctx context.Context, _ versionRequest) (personsView, error) {
	show, err := f.present(ctx)
	v := personsView{Items: make([]personView, len(show.account.Persons))}
	for i, p := range show.account.Persons {
		v.Items[i] = show.person(p)
	}
	return v, err
}

// person is retrievePerson.
func (f family) person(ctx context.Context, req personRequest) (personView, error) {
	show, err := f.present(ctx)
	if err != nil {
		return personView{}, err
	}
	p, known := show.account.Person(req.ID)
	if !known {
		return personView{}, failure.NotFound("There is no such person.")
	}
	return show.person(p), nil
}

func (p presenter) person(of account.Person) personView {
	v := personView{ID: of.ID, Birthdate: of.Birthdate, GivenName: of.GivenName, MiddleName: of.MiddleName,
		FamilyName: of.FamilyName, PhoneNumber: of.PhoneNumber, Relationships: of.Relationships,
		Address: place(of.Address, cmp.Or(of.CountryOfResidence, p.merchant.Country)), Identifiers: of.Identifiers,
		Citizenship: of.Citizenship, Nationality: of.Nationality, CountryOfResidence: of.CountryOfResidence,
		Version: strconv.Itoa(p.account.Version), ChangeStatus: changesDone}
	if of.Ownership.Share > 0 {
		v.Ownership = &of.Ownership
	}
	if v.Relationships == nil {
		v.Relationships = []account.Relationship{}
	}
	if v.Identifiers == nil {
		v.Identifiers = []account.Identifier{}
	}
	return v
}

package store_test

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/store"
)

var storedTestProfiles = map[string]stored{
	"CreateTestProfile": {
		sets: "Passwords is the one that the operation sets",
		write: func(w fixture) []storedtest.Read {
			p := w.storeProfile()
			w.remove("RATE", "RATE")
			return append(w.profiles(p), w.audited(w.tenant.Merchant), w.profileAgain(p), w.newProfiles(1))
		},
	},
	"DeleteTestProfile": {
		sets: "it expires after 31 days, and has no passwords",
		write: func(w fixture) []storedtest.Read {
			p := w.storeProfile()
			w.remove("RATE", "COUNT")
			w.must(w.DeleteTestProfile(w.Context(), w.actor(), w.tenant, p.ID, "deletion", allowDeletion))
			p.Passwords = nil
			return append(w.profiles(), w.audited(w.tenant.Merchant), w.profileAgain(p),
				storedtest.Expect("the deletion again", "done", func(ctx context.Context) (string, error) {
					return "done", w.DeleteTestProfile(ctx, byTest, w.tenant, p.ID, "deletion", allowDeletion)
				}), w.expiries(start.AddDate(0, 0, 31)))
		},
	},
}

// storeProfile stores a profile with all its fields.
func (w fixture) storeProfile() member.TestProfile {
	w.Helper()
	p := storedtest.Fill[member.TestProfile](w, w.Filler) // its passwords are replaced
	got, err := w.CreateTestProfile(w.Context(), w.actor(), w.tenant, p, w.firstPassword())
	if len(got.Passwords) != 1 || got.Passwords[0].Operation != "creation" || !got.Passwords[0].SetAt.Equal(start) {
		w.Fatalf("got passwords %v, want the one that the operation set now", got.Passwords)
	}
	p.Passwords = got.Passwords
	wantAnswer(w, p, got, err)
	return p
}

func (w fixture) firstPassword() *store.NewPassword {
	return w.PasswordOf(w.tenant, "creation", secret.New("correct horse battery"))
}

// profiles expects the tenant's test profiles from each read.
func (w fixture) profiles(want ...member.TestProfile) []storedtest.Read {
	reads := []storedtest.Read{storedtest.Expect("TestProfiles", want,
		func(ctx context.Context) ([]member.TestProfile, error) { return w.TestProfiles(ctx, w.tenant) })}
	for _, p := range want {
		reads = append(reads, storedtest.Expect("TestProfile", p, func(ctx context.Context) (member.TestProfile, error) {
			return w.TestProfile(ctx, w.tenant, p.ID)
		}))
	}
	return reads
}

// profileAgain expects the stored profile from a repeated creation, not the profile in the request.
func (w fixture) profileAgain(want member.TestProfile) storedtest.Read {
	asked := want
	asked.Name = "as asked"
	return storedtest.Expect("the creation again", want, func(ctx context.Context) (member.TestProfile, error) {
		return w.CreateTestProfile(ctx, byTest, w.tenant, asked, w.firstPassword())
	})
}

// newProfiles expects the version of the count, which only writes read.
func (w fixture) newProfiles(want int) storedtest.Read {
	return storedtest.Expect("new profiles", want, func(ctx context.Context) (int, error) {
		_, table := w.Raw()
		var got struct {
			Version int `dynamo:"version"`
		}
		err := table.Get("pk", "TESTPROFILES#"+w.tenant.String()).Range("sk", dynamo.Equal, "COUNT").One(ctx, &got)
		return got.Version, err
	})
}

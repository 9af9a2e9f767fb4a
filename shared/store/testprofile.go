package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

// Failures of test profiles (contract §8.4).
var (
	errNoTestProfile       = failure.NotFound("There is no such test profile.")
	errTooManyTestProfiles = failure.Conflict("The merchant has as many test profiles as it can have.").
				WithCode("max_number_of_test_profiles_exceeded")
)

// TestProfile reads a test profile, consistently. Failure: NotFound.
func (s *View) TestProfile(ctx context.Context, t identity.Tenant, id string) (member.TestProfile, error) {
	return readOne[member.TestProfile](ctx, s, testProfileKey(t, id), errNoTestProfile)
}

// TestProfiles returns the tenant's test profiles, oldest first, consistently.
func (s *View) TestProfiles(ctx context.Context, t identity.Tenant) ([]member.TestProfile, error) {
	var profiles []member.TestProfile
	err := s.prefixed(KindTestProfiles.of(t), testProfilePrefix).All(ctx, &profiles)
	slices.SortFunc(profiles, func(a, b member.TestProfile) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return profiles, err
}

// CreateTestProfile stores a new profile with its password, and returns the profile. The caller derives the id from the
// operation. If a profile with this id was stored before, CreateTestProfile returns that profile, even if it was
// deleted since. Failures: Conflict max_number_of_test_profiles_exceeded; TooMany passwords.
func (s *Store) CreateTestProfile(ctx context.Context, by audit.By, t identity.Tenant, p member.TestProfile,
	password *NewPassword) (member.TestProfile, error) {
	return retryAs(ctx, by, s.View, func() (member.TestProfile, error) {
		made, count, err := s.findCreatedProfile(ctx, t, p.ID)
		if err != nil || made.ID != "" {
			return made, err
		}
		profiles, err := s.TestProfiles(ctx, t)
		switch {
		case err != nil:
			return p, err
		case len(profiles) >= member.MaxTestProfiles:
			return p, errTooManyTestProfiles
		}
		if p.Passwords, err = password.Set(ctx, nil); err != nil {
			return p, err
		}
		return s.addTestProfile(ctx, by, t, p, count)
	})
}

// findCreatedProfile returns the profile with the id and the count of creations. The profile may have been deleted
// since. If no profile was stored under the id, findCreatedProfile returns the zero profile.
func (s *View) findCreatedProfile(ctx context.Context, t identity.Tenant, id string) (member.TestProfile, creationCount,
	error) {
	var stored, deleted member.TestProfile
	var count creationCount
	err := s.readInto(ctx, map[key]any{testProfileKey(t, id): &stored, deletionKey(KindTestProfiles, t, id): &deleted,
		testProfileCountKey(t): &count})
	if stored.ID == "" {
		return deleted, count, err
	}
	return stored, count, err
}

// addTestProfile errors with ErrStale if another profile was added after the read, or the caller's rights changed.
func (s *Store) addTestProfile(ctx context.Context, by audit.By, t identity.Tenant, p member.TestProfile,
	count creationCount) (member.TestProfile, error) {
	tx := s.newAuditedTx(by)
	tx.Put(s.replace(count.next(testProfileCountKey(t)))).
		Put(s.table.Put(storedItem{key: testProfileKey(t, p.ID), value: p}).If("attribute_not_exists(pk)"))
	tx.audit(t, subjectTestProfile(p), nil, p.ForAudit())
	tx.requireCaller()
	return runCreation(ctx, tx, p, func() (member.TestProfile, bool, error) {
		made, _, err := s.findCreatedProfile(ctx, t, p.ID)
		return made, made.ID != "", err
	})
}

func subjectTestProfile(p member.TestProfile) string { return "test_profile " + p.ID }

// DeleteTestProfile deletes a profile, unless check refuses. Its tokens are refused from the next request on. The same
// operation may be repeated. Failure: NotFound.
func (s *Store) DeleteTestProfile(ctx context.Context, by audit.By, t identity.Tenant, id, operation string,
	check func() error) error {
	return retryWriteAs(ctx, by, s.View, func() error {
		p, err := s.TestProfile(ctx, t, id)
		switch {
		case failure.Is(err, failure.KindNotFound):
			return s.checkDeletedBy(ctx, deletionKey(KindTestProfiles, t, id), operation, errNoTestProfile)
		case err == nil:
			err = check()
		}
		if err != nil {
			return err
		}
		return s.removeTestProfile(ctx, by, t, p, operation)
	})
}

// removeTestProfile errors with ErrStale if the profile is gone, or the caller's rights changed; a retry finds out
// which.
func (s *Store) removeTestProfile(ctx context.Context, by audit.By, t identity.Tenant, p member.TestProfile,
	operation string) error {
	was := p
	was.Passwords = nil
	tx := s.newAuditedTx(by)
	tx.Delete(s.remove(testProfileKey(t, p.ID)).If("attribute_exists(pk)")).
		Put(s.putDeletion(deletionKey(KindTestProfiles, t, p.ID), operation, was))
	tx.audit(t, subjectTestProfile(p), p.ForAudit(), nil)
	tx.requireCaller()
	return tx.runRemoval(ctx, testProfileKey(t, p.ID), 0, ErrStale)
}

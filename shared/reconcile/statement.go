package reconcile

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// movements walks the acquirers' statements.
func (r *run) movements(ctx context.Context, note func(identity.Tenant, acquirer.Movement)) error {
	return statements(r.Acquirers, func(a acquirer.Acquirer) iter.Seq2[acquirer.Movement, error] {
		return a.Statement(ctx)
	},
		func(m acquirer.Movement) string { return m.Tenant }, note)
}

// bookings walks the banks' statements.
func (r *run) bookings(ctx context.Context, note func(identity.Tenant, bank.Booking)) error {
	return statements(r.Banks, func(b bank.Bank) iter.Seq2[bank.Booking, error] { return b.Statement(ctx) },
		func(b bank.Booking) string { return b.Tenant }, note)
}

// statements walks those of all modes. Where one party serves both, each line
// counts for its tenant's.
func statements[Party, Line any](parties map[identity.Mode]Party, of func(Party) iter.Seq2[Line, error],
	whose func(Line) string, note func(identity.Tenant, Line)) error {
	for _, mode := range slices.Sorted(maps.Keys(parties)) {
		for line, err := range of(parties[mode]) {
			if err != nil {
				return err
			}
			t, ok := identity.ParseTenant(whose(line))
			if !ok {
				t = identity.Tenant{Mode: mode, Merchant: whose(line)} // nobody's
			}
			if t.Mode == mode {
				note(t, line)
			}
		}
	}
	return nil
}

// movementsOf reads the acquirers' statements again for those suspects whom
// they concern.
func (r *run) movementsOf(ctx context.Context, suspects []suspect) (map[string][]acquirer.Movement, error) {
	moved := wanted[acquirer.Movement](suspects, func(s suspect) bool { return s.moves })
	if len(moved) == 0 {
		return nil, nil
	}
	return moved, r.movements(ctx, func(t identity.Tenant, m acquirer.Movement) { file(moved, t, m.ChargeID, m) })
}

// bookingsOf does the same with the banks'.
func (r *run) bookingsOf(ctx context.Context, suspects []suspect) (map[string][]bank.Booking, error) {
	booked := wanted[bank.Booking](suspects, func(s suspect) bool { return s.booked })
	if len(booked) == 0 {
		return nil, nil
	}
	return booked, r.bookings(ctx, func(t identity.Tenant, b bank.Booking) { file(booked, t, b.ID, b) })
}

// wanted has a place for the lines about each suspect whom they concern.
func wanted[Line any](suspects []suspect, concerns func(suspect) bool) map[string][]Line {
	places := map[string][]Line{}
	for _, s := range suspects {
		if concerns(s) {
			places[s.key()] = nil
		}
	}
	return places
}

// file keeps a line about a suspect, if it is wanted.
func file[Line any](places map[string][]Line, t identity.Tenant, id string, line Line) {
	key := suspect{tenant: t, id: id}.key()
	if _, wanted := places[key]; wanted {
		places[key] = append(places[key], line)
	}
}

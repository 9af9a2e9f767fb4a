package store_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/reader"
	"github.com/cashwrap/cashwrap/shared/store"
)

// lostReplies carries out the store's writes, and loses the replies.
type lostReplies struct {
	aws.HTTPClient
	on   bool
	then func() // after a write whose reply is lost
}

func (l *lostReplies) Do(r *http.Request) (*http.Response, error) {
	response, err := l.HTTPClient.Do(r)
	operation := r.Header.Get("X-Amz-Target")
	writes := strings.HasSuffix(operation, ".TransactWriteItems") || strings.HasSuffix(operation, ".PutItem")
	if !l.on || err != nil || !writes {
		return response, err
	}
	response.Body.Close()
	l.on = false
	l.then()
	l.on = true
	return nil, faults.ErrNetwork
}

// TestResolveWrite_LostReply checks that a write whose reply was lost recognises itself by its id. Without the id, the
// write fails.
func TestResolveWrite_LostReply(t *testing.T) {
	t.Parallel()
	for name, prepare := range recognised {
		for _, forgotten := range []bool{false, true} {
			wire := &lostReplies{}
			s := storedtest.Open(t, clock.New().Now, func(c aws.HTTPClient) aws.HTTPClient {
				wire.HTTPClient = c
				return wire
			})
			write := prepare(t, s)
			wire.on, wire.then = true, func() {
				if forgotten {
					forgetWriteIDs(t, s)
				}
			}
			if err := write(); (err != nil) != forgotten {
				t.Errorf("%s: got error %v, want one only if its id is forgotten (%t)", name, err, forgotten)
			}
		}
	}
}

// forgetWriteIDs removes the id of the last write from each item.
func forgetWriteIDs(t *testing.T, s *store.Store) {
	t.Helper()
	_, table := s.Raw()
	items, err := storedtest.Items(t.Context(), table)
	for _, item := range items {
		if err == nil {
			err = table.Update("pk", item["pk"]).Range("sk", item["sk"]).Remove("write_id").Run(t.Context())
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// recognised lists the writes that recognise themselves, each after its preparation.
var recognised = map[string]func(*testing.T, *store.Store) func() error{
	"SaveCheckout": func(t *testing.T, s *store.Store) func() error {
		c := createDraft(t, s)
		return func() error { return errOf(s.SaveCheckout(t.Context(), tenant, c)) }
	},
	"RenameCheckout": func(t *testing.T, s *store.Store) func() error {
		c := createDraft(t, s)
		c.Reference = "another"
		return func() error { return errOf(s.RenameCheckout(t.Context(), tenant, c)) }
	},
	"Apply": func(t *testing.T, s *store.Store) func() error {
		c := createDraft(t, s)
		return func() error { return errOf(s.Apply(t.Context(), tenant, payments.CheckoutChange{Checkout: c})) }
	},
	"ApplyTransaction": func(t *testing.T, s *store.Store) func() error {
		tx := pay(t, s, tenant, "order", "attempt")
		change := payments.TransactionChange{Transaction: tx}
		return func() error { return s.ApplyTransaction(t.Context(), tenant, change, nil) }
	},
	"CreateMerchant": func(t *testing.T, s *store.Store) func() error {
		return func() error { return s.CreateMerchant(t.Context(), byTest, shop, account.Account{}) }
	},
	"SaveMerchantState": func(t *testing.T, s *store.Store) func() error {
		openShop(t, s)
		state, err := s.MerchantState(t.Context(), shop.Code)
		if err != nil {
			t.Fatal(err)
		}
		return func() error { return errOf(s.SaveMerchantState(t.Context(), byTest, state, state)) }
	},
	"UpdateAPIKey": func(t *testing.T, s *store.Store) func() error {
		k := addKey(t, s)
		return func() error {
			return errOf(s.UpdateAPIKey(t.Context(), byTest, tenant, k.ID, func(k identity.APIKey) (identity.APIKey, error) {
				k.Name += "x" // another change each time
				return k, nil
			}))
		}
	},
	"UpdateMember": func(t *testing.T, s *store.Store) func() error {
		m := employ(t, s, "till@example.com")
		return func() error {
			return errOf(s.UpdateMember(t.Context(), byTest, tenant, m.Number(), "", member.EndKeys,
				func(m member.Member, _ member.Roles) (member.Member, error) {
					m.Nickname += "x" // another change each time
					return m, nil
				}))
		}
	},
	"UpdateRole": func(t *testing.T, s *store.Store) func() error {
		role, err := s.CreateRole(t.Context(), byTest, tenant, member.Role{ID: member.RoleID("role")},
			func() error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		return func() error {
			return errOf(s.UpdateRole(t.Context(), byTest, tenant, role.ID, func(r member.Role) (member.Role, error) {
				r.Name += "x"
				return r, nil
			}))
		}
	},
	"SaveCardReader": func(t *testing.T, s *store.Store) func() error {
		r, err := createReader(t.Context(), s, "rdr_1", "1")
		if err != nil {
			t.Fatal(err)
		}
		return func() error { return errOf(s.SaveCardReader(t.Context(), tenant, r)) }
	},
	"UpdateCardReader": func(t *testing.T, s *store.Store) func() error {
		if _, err := createReader(t.Context(), s, "rdr_1", "1"); err != nil {
			t.Fatal(err)
		}
		return func() error {
			return errOf(s.UpdateCardReader(t.Context(), byTest, tenant, "rdr_1", func(r reader.Reader) reader.Reader {
				r.Name += "x" // another change each time
				return r
			}))
		}
	},
	"UpdateFile": func(t *testing.T, s *store.Store) func() error {
		if err := createFile(t.Context(), s, "f", ""); err != nil {
			t.Fatal(err)
		}
		return func() error {
			return errOf(s.UpdateFile(t.Context(), byTest, tenant, "f", func(f file.File) (file.File, error) {
				f.Name += "x" // another change each time
				return f, nil
			}))
		}
	},
	"UpdateCollection": func(t *testing.T, s *store.Store) func() error {
		if err := createCollection(t.Context(), s, "c"); err != nil {
			t.Fatal(err)
		}
		return func() error {
			return errOf(s.UpdateCollection(t.Context(), byTest, tenant, "c", func(c file.Collection) (file.Collection, error) {
				c.Name += "x"
				return c, nil
			}))
		}
	},
	"SaveObject": func(t *testing.T, s *store.Store) func() error {
		return func() error { return s.SaveObjectEntry(t.Context(), file.Entry{Key: file.NewKey()}) }
	},
	"OpenPayout": func(t *testing.T, s *store.Store) func() error {
		return func() error { return s.OpenPayout(t.Context(), tenant, merchant.PayoutSchedule{NextAt: later}, nil) }
	},
	"StepPayout": func(t *testing.T, s *store.Store) func() error {
		p := openPayout(t, s, onePayout)
		return func() error { return errOf(s.StepPayout(t.Context(), tenant, payout.Step{Payout: p})) }
	},
	"CollectPayout": func(t *testing.T, s *store.Store) func() error {
		p := openPayout(t, s, onePayout)
		return func() error { return errOf(s.CollectPayout(t.Context(), tenant, payout.Collection{Payout: p})) }
	},
	"ApplyPayoutOutcome": func(t *testing.T, s *store.Store) func() error {
		p := openPayout(t, s, onePayout)
		return func() error { return errOf(s.ApplyPayoutOutcome(t.Context(), tenant, payout.OutcomeStep{Payout: p})) }
	},
	"CreateOAuthClient": func(t *testing.T, s *store.Store) func() error {
		return func() error {
			return errOf(s.CreateOAuthClient(t.Context(), byTest, oauth.Client{ID: "app", Tenant: tenant}))
		}
	},
	"UpdateOAuthClient": func(t *testing.T, s *store.Store) func() error {
		register(t, s, "app")
		return func() error {
			return errOf(s.UpdateOAuthClient(t.Context(), byTest, "app", func(c oauth.Client) (oauth.Client, error) {
				c.Name += "x" // another change each time
				return c, nil
			}))
		}
	},
	"PutCode": func(t *testing.T, s *store.Store) func() error {
		return func() error { return s.PutCode(t.Context(), oauth.Code{Hash: "code"}) }
	},
	"PutGrant": func(t *testing.T, s *store.Store) func() error {
		return func() error {
			return s.PutGrant(t.Context(), oauth.Grant{Hash: "grant"}, identity.AccessToken{Hash: "token"})
		}
	},
	"Refresh": func(t *testing.T, s *store.Store) func() error {
		if err := s.PutGrant(t.Context(), oauth.Grant{Hash: "grant"}, identity.AccessToken{Hash: "first"}); err != nil {
			t.Fatal(err)
		}
		return func() error {
			return s.Refresh(t.Context(), oauth.Grant{Hash: "grant"}, identity.AccessToken{Hash: "token"})
		}
	},
	"ChangeSecondFactor": func(t *testing.T, s *store.Store) func() error {
		turnOn(t, s, "ada")
		return func() error { return errOf(s.ChangeSecondFactor(t.Context(), userOf("ada"), recovery("ada", 3))) }
	},
	"ConfirmSignIn": func(t *testing.T, s *store.Store) func() error {
		turnOn(t, s, "ada")
		if err := s.PutSignIn(t.Context(), signedIn("pending", "ada")); err != nil {
			t.Fatal(err)
		}
		return func() error {
			return s.ConfirmSignIn(t.Context(), "pending", signedIn("next", "ada"), recovery("ada", 3))
		}
	},
	"RemoveSecondFactor": func(t *testing.T, s *store.Store) func() error {
		turnOn(t, s, "ada")
		by := fixture{TB: t, Store: s, Filler: &storedtest.Filler{}}.actor()
		return func() error {
			return s.RemoveSecondFactor(t.Context(), by, tenant, member.Member{ID: "mem_1", UserID: "ada"})
		}
	},
}

func createDraft(t *testing.T, s *store.Store) payments.Checkout {
	t.Helper()
	c, err := s.CreateCheckout(t.Context(), tenant, draft("order"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// errOf returns only the error.
func errOf[T any](_ T, err error) error { return err }

package store_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/reader"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/store"
)

// changes lists the methods that take the maker of the change as an argument, each with its preparation.
var changes = map[string]func(*testing.T, *store.Store) func(audit.By) error{
	"AcceptInvitation": func(t *testing.T, s *store.Store) func(audit.By) error {
		inviteAda(t, s, tenant, "token")
		return func(by audit.By) error {
			return errOf(s.AcceptInvitation(t.Context(), by, "token", func(store.Invitation) (member.Passwords, error) {
				return member.Passwords{{Hash: "hash"}}, nil
			}))
		}
	},
	"UsePasswordLink": func(t *testing.T, s *store.Store) func(audit.By) error {
		hash := mailLink(t, s)
		return func(by audit.By) error {
			return s.UsePasswordLink(t.Context(), by, hash, s.PasswordByOperator("link", secret.New("a new one of hers")))
		}
	},
	"CreateAPIKey": func(t *testing.T, s *store.Store) func(audit.By) error {
		k := newKey(t, tenant).APIKey
		return func(by audit.By) error { return errOf(s.CreateAPIKey(t.Context(), by, k)) }
	},
	"UpdateAPIKey": func(t *testing.T, s *store.Store) func(audit.By) error {
		k := addKey(t, s)
		return func(by audit.By) error { return errOf(s.UpdateAPIKey(t.Context(), by, tenant, k.ID, named("x"))) }
	},
	"DeleteAPIKey": func(t *testing.T, s *store.Store) func(audit.By) error {
		k := addKey(t, s)
		return func(by audit.By) error { return s.DeleteAPIKey(t.Context(), by, tenant, k.ID, "deletion") }
	},
	"CreateMerchantToken": func(t *testing.T, s *store.Store) func(audit.By) error {
		token := identity.AccessToken{Hash: "token", Tenant: tenant}
		return func(by audit.By) error { return errOf(s.CreateMerchantToken(t.Context(), by, token)) }
	},
	"CreateCardReader": func(t *testing.T, s *store.Store) func(audit.By) error {
		return func(by audit.By) error {
			return errOf(s.CreateCardReader(t.Context(), by, tenant, "rdr_1", func() (reader.Reader, error) {
				return reader.New("rdr_1", "1", "solo", reader.Given{}, s.Now()), nil
			}))
		}
	},
	"UpdateCardReader": func(t *testing.T, s *store.Store) func(audit.By) error {
		if _, err := createReader(t.Context(), s, "rdr_1", "1"); err != nil {
			t.Fatal(err)
		}
		return func(by audit.By) error {
			return errOf(s.UpdateCardReader(t.Context(), by, tenant, "rdr_1", func(r reader.Reader) reader.Reader {
				r.Name = "till"
				return r
			}))
		}
	},
	"DeleteCardReader": func(t *testing.T, s *store.Store) func(audit.By) error {
		if _, err := createReader(t.Context(), s, "rdr_1", "1"); err != nil {
			t.Fatal(err)
		}
		return func(by audit.By) error {
			return s.DeleteCardReader(t.Context(), by, tenant, "rdr_1", "deletion", stopNothing)
		}
	},
	"CreateCollection": func(t *testing.T, s *store.Store) func(audit.By) error {
		c := file.Collection{ID: "c", Name: "c", Status: file.Open, CreatedAt: s.Now()}
		return func(by audit.By) error { return errOf(s.CreateCollection(t.Context(), by, tenant, c)) }
	},
	"UpdateCollection": func(t *testing.T, s *store.Store) func(audit.By) error {
		if err := createCollection(t.Context(), s, "c"); err != nil {
			t.Fatal(err)
		}
		return func(by audit.By) error {
			return errOf(s.UpdateCollection(t.Context(), by, tenant, "c", func(c file.Collection) (file.Collection, error) {
				c.Name = "another"
				return c, nil
			}))
		}
	},
	"CreateFile": func(t *testing.T, s *store.Store) func(audit.By) error {
		f := newPendingFile(s, "f", "")
		return func(by audit.By) error { return errOf(s.CreateFile(t.Context(), by, tenant, f)) }
	},
	"UpdateFile": func(t *testing.T, s *store.Store) func(audit.By) error {
		mustCreateFile(t, s)
		return func(by audit.By) error {
			return errOf(s.UpdateFile(t.Context(), by, tenant, "f", func(f file.File) (file.File, error) {
				f.Name = "another.pdf"
				return f, nil
			}))
		}
	},
	"DeleteFile": func(t *testing.T, s *store.Store) func(audit.By) error {
		mustCreateFile(t, s)
		return func(by audit.By) error { return errOf(s.DeleteFile(t.Context(), by, tenant, "f", "deletion")) }
	},
	"DropFile": func(t *testing.T, s *store.Store) func(audit.By) error {
		mustCreateFile(t, s)
		return func(by audit.By) error { return errOf(s.DropFile(t.Context(), by, tenant, "f", "completion", "no")) }
	},
	"CreateMember": func(t *testing.T, s *store.Store) func(audit.By) error {
		return func(by audit.By) error {
			return errOf(s.CreateMember(t.Context(), by, tenant, "new@example.com", "new",
				func(id string, _ member.Roles) (member.Member, error) {
					return member.NewEmployee(id, member.Registration{Email: "new@example.com"}, nil, s.Now()), nil
				}))
		}
	},
	"UpdateMember": func(t *testing.T, s *store.Store) func(audit.By) error {
		m := employ(t, s, "till@example.com")
		return func(by audit.By) error {
			return errOf(s.UpdateMember(t.Context(), by, tenant, m.Number(), "", member.EndKeys, nicknamed("Till")))
		}
	},
	"DeleteMember": func(t *testing.T, s *store.Store) func(audit.By) error {
		m := employ(t, s, "till@example.com")
		return func(by audit.By) error {
			return errOf(s.DeleteMember(t.Context(), by, tenant, m.Number(), "deletion", member.EndKeys,
				func(member.Member, member.Roles) error { return nil }))
		}
	},
	"SetUserPassword": func(t *testing.T, s *store.Store) func(audit.By) error {
		joinAda(t, s)
		return func(by audit.By) error {
			return errOf(s.SetUserPassword(t.Context(), by, tenant, "ada@example.com",
				s.PasswordByOperator("operation", secret.New("password of an operator"))))
		}
	},
	"RemoveSecondFactor": func(t *testing.T, s *store.Store) func(audit.By) error {
		turnOn(t, s, "ada")
		return func(by audit.By) error {
			return s.RemoveSecondFactor(t.Context(), by, tenant, member.Member{ID: "mem_1", UserID: "ada"})
		}
	},
	"CreateMerchant": func(t *testing.T, s *store.Store) func(audit.By) error {
		return func(by audit.By) error { return s.CreateMerchant(t.Context(), by, shop, account.Account{}) }
	},
	"SaveMerchant": func(t *testing.T, s *store.Store) func(audit.By) error {
		m := openShopState(t, s).Merchant
		after := m
		after.Name = "Another"
		return func(by audit.By) error { return errOf(s.SaveMerchant(t.Context(), by, m, after)) }
	},
	"SaveMerchantState": func(t *testing.T, s *store.Store) func(audit.By) error {
		state := openShopState(t, s)
		after := state
		after.Merchant.Name = "Another"
		return func(by audit.By) error { return errOf(s.SaveMerchantState(t.Context(), by, state, after)) }
	},
	"SaveAccount": func(t *testing.T, s *store.Store) func(audit.By) error {
		m := openShopState(t, s).Merchant
		before, err := s.Account(t.Context(), shop.Code)
		if err != nil {
			t.Fatal(err)
		}
		after := before
		after.Meta = map[string]string{"crm": "1"}
		return func(by audit.By) error { return errOf(s.SaveAccount(t.Context(), by, m, before, after)) }
	},
	"GrowShards": func(t *testing.T, s *store.Store) func(audit.By) error {
		openShopState(t, s)
		return func(by audit.By) error {
			_, _, err := s.GrowShards(t.Context(), by, tenant)
			return err
		}
	},
	"CreateOAuthClient": func(t *testing.T, s *store.Store) func(audit.By) error {
		c := oauth.Client{ID: "app", Tenant: tenant}
		return func(by audit.By) error { return errOf(s.CreateOAuthClient(t.Context(), by, c)) }
	},
	"UpdateOAuthClient": func(t *testing.T, s *store.Store) func(audit.By) error {
		register(t, s, "app")
		return func(by audit.By) error {
			return errOf(s.UpdateOAuthClient(t.Context(), by, "app", func(c oauth.Client) (oauth.Client, error) {
				c.Name = "another"
				return c, nil
			}))
		}
	},
	"CreateRole": func(t *testing.T, s *store.Store) func(audit.By) error {
		return func(by audit.By) error {
			return errOf(s.CreateRole(t.Context(), by, tenant, testRole, func() error { return nil }))
		}
	},
	"UpdateRole": func(t *testing.T, s *store.Store) func(audit.By) error {
		createRole(t, s)
		return func(by audit.By) error {
			return errOf(s.UpdateRole(t.Context(), by, tenant, testRole.ID, func(r member.Role) (member.Role, error) {
				r.Name = "Another"
				return r, nil
			}))
		}
	},
	"DeleteRole": func(t *testing.T, s *store.Store) func(audit.By) error {
		createRole(t, s)
		return func(by audit.By) error {
			return s.DeleteRole(t.Context(), by, tenant, testRole.ID, "deletion", func(member.Role) error { return nil })
		}
	},
	"CorrectSettlement": func(t *testing.T, s *store.Store) func(audit.By) error {
		return func(by audit.By) error {
			return s.CorrectSettlement(t.Context(), by, tenant, correction("c", "1"), nil)
		}
	},
	"CreateTestProfile": func(t *testing.T, s *store.Store) func(audit.By) error {
		return func(by audit.By) error { return createProfile(t, by, s, "tp_1") }
	},
	"DeleteTestProfile": func(t *testing.T, s *store.Store) func(audit.By) error {
		if err := createProfile(t, byTest, s, "tp_1"); err != nil {
			t.Fatal(err)
		}
		return func(by audit.By) error {
			return s.DeleteTestProfile(t.Context(), by, tenant, "tp_1", "deletion", allowDeletion)
		}
	},
}

// testRole is the role that the tests of this file create.
var testRole = member.Role{ID: member.RoleID("role"), Name: "Role"}

// openShopState opens the merchant, and reads its state.
func openShopState(t *testing.T, s *store.Store) merchant.State {
	t.Helper()
	openShop(t, s)
	state, err := s.MerchantState(t.Context(), shop.Code)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func createRole(t *testing.T, s *store.Store) {
	t.Helper()
	if _, err := s.CreateRole(t.Context(), byTest, tenant, testRole, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
}

// mustCreateFile creates the file f.
func mustCreateFile(t *testing.T, s *store.Store) {
	t.Helper()
	if err := createFile(t.Context(), s, "f", ""); err != nil {
		t.Fatal(err)
	}
}

// TestWriters_RefuseNobody checks that each of the changes refuses a maker without rights, and writes nothing.
func TestWriters_RefuseNobody(t *testing.T) {
	t.Parallel()
	for name, prepare := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			change := prepare(t, s)
			before := dumpTable(t, s)
			for what, by := range map[string]audit.By{"nobody": {}, "an actor without rights": as(identity.Principal{}),
				"rights without an actor": {Principal: identity.Platform()}} {
				if err := change(by); err == nil {
					t.Errorf("%s: got no error, want one", what)
				}
			}
			if after := dumpTable(t, s); !reflect.DeepEqual(before, after) {
				t.Errorf("the table: got %v, want it as before, %v", after, before)
			}
			if err := change(byTest); err != nil {
				t.Errorf("the platform: got error %v, want none", err)
			}
		})
	}
}

func dumpTable(t *testing.T, s *store.Store) []dynamo.Item {
	t.Helper()
	_, table := s.Raw()
	items, err := storedtest.Items(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// writersNotAsking lists the writers that take no maker of the change, by the reason for this.
var writersNotAsking = map[string][]string{
	"the rules of payments and of what belongs to them, for a caller whom the route has admitted": {
		"Apply", "ApplyTransaction", "CreateCheckout", "CreateCustomer", "CreateReaderCheckout", "CreateReceiptLink",
		"DeactivateInstrument", "ForgetCard", "MailReceipt", "NumberReceipt", "RefuseCard", "RenameCheckout",
		"SaveCheckout", "UpdateCustomer"},
	"the rules of payouts, for workers and operators": {"ApplyPayoutOutcome", "CollectPayout", "CreatePayout",
		"LeasePayouts", "OpenPayout", "ReleasePayouts", "SendPayout", "StepPayout"},
	"a code, a password or a token, which the method or its caller has compared": {"ChangeSecondFactor", "ConfirmSignIn",
		"EndSignIn", "EndSignIns", "MailPasswordLink", "PutAccessToken", "PutCode", "PutGrant", "PutKnownAddress",
		"PutSignIn", "Redeem", "Refresh", "ReportSignIn", "RequestPasswordLink", "RevokeAccessToken", "RevokeGrant",
		"RevokeGrants"},
	"nothing: they record what workers, terminals and the platform itself did": {"ClaimIdempotency", "KeyUsed",
		"LeaseTokens", "ObjectDeleted", "ReleaseIdempotency", "ReplayCallback", "SaveBreaker", "SaveCallback",
		"SaveCardReader", "SaveMail", "SaveObjectEntry", "SettleIdempotency", "SpreadMail", "TakeToken"},
	"nothing: they record what reconcile has proven": {"Balance", "BeginProof", "ImportStatementLines", "ListTenant",
		"NoteSettled", "Reopen", "SaveImports", "SaveNightStep", "SaveNights", "SaveProofBreak", "SaveProofSegment"},
	"nothing: they write no item of a merchant": {"CheckWritable", "CreateTable", "PasswordByOperator", "PasswordFor",
		"PasswordFrom", "PasswordOf", "Raw", "RecordChangesBirth"},
}

// TestWriters_AskWhoChanges checks that each writer takes the maker of the change, or is listed above with a reason.
func TestWriters_AskWhoChanges(t *testing.T) {
	t.Parallel()
	var asking, not []string
	reads := reflect.TypeFor[*store.View]()
	for m := range reflect.TypeFor[*store.Store]().Methods() {
		if _, read := reads.MethodByName(m.Name); read {
			continue
		}
		if m.Type.NumIn() > 2 && m.Type.In(2) == reflect.TypeFor[audit.By]() {
			asking = append(asking, m.Name)
		} else {
			not = append(not, m.Name)
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(changes)), asking); diff != "" {
		t.Errorf("methods that ask, and are called here (-here +there):\n%s", diff)
	}
	stated := slices.Concat(slices.Collect(maps.Values(writersNotAsking))...)
	slices.Sort(stated)
	if diff := cmp.Diff(stated, not); diff != "" {
		t.Errorf("writers that do not ask (-here +there):\n%s", diff)
	}
}

package examples

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/contract/checker"
	"github.com/cashwrap/cashwrap/shared/member"
)

// placeholder replaces an id or another value of the examples. The value's object must exist, but no POST to a
// collection creates the object.
type placeholder struct {
	name string // name in a sample event, as in ${MERCHANT_CODE}; "" leaves the document's value there
	make func(*Fixture) string
}

// placeholders are keyed by the document's value. init sets them, because some placeholders use others.
var placeholders map[string]placeholder

func init() {
	placeholders = map[string]placeholder{
		"MC0A1B2C3D": {"MERCHANT_CODE", func(fix *Fixture) string { return fix.Merchant.Code }},
		"https://shop.example.com/callbacks/payments": {"", func(fix *Fixture) string { return fix.Receiver.URL }},
		// Token of a saved card of the examples' customer.
		"8c9d6b0e-52c4-4f0a-9d8e-3f5f8a2f6f01": {"TOKEN", func(fix *Fixture) string {
			fix.CustomerID = fix.Value("customer-77")
			return fix.PayAndSave()
		}},
		"T1A2B3C4D5": {"TRANSACTION_CODE", func(fix *Fixture) string { return fix.Sell("10.10").Code }},
		"6f1d2c3b-4a59-4e87-9c6d-7b8a9f0e1d2c": {"TRANSACTION_ID", func(fix *Fixture) string {
			return fix.Sell("10.10").ID
		}},
		"pers_0123456789abcdefghijklmnop": {"PERSON_ID", func(fix *Fixture) string {
			const id = "pers_0123456789abcdefghijklmnop"
			fix.Operate(map[string]any{"command": "update_account", "merchant_code": fix.Merchant.Code,
				"account": map[string]any{"persons": []map[string]any{{"id": id, "given_name": "Ada"}}}}, nil)
			return id
		}},
		// Test profiles exist in test mode only. A live key can neither create nor reach a profile.
		"tp_0123456789abcdefghijklmnop": {"TEST_PROFILE_ID", func(fix *Fixture) string {
			if fix.isLive() {
				return member.TestProfilePrefix + "of_live_mode_there_is_none"
			}
			return fix.TestProfile("Checkout team").ID
		}},
		// Signature of a notice about the checkout, for the body in the form of Build.
		"t=1795255200,v1=5d41402abc4b2a76b9719d911017c592": {"SIGNATURE", func(fix *Fixture) string {
			header, _, err := fix.App.Sandbox.NewNotice(acquirer.Hint{Reference: acquirer.Reference{Tenant: "T#MC0A1B2C3D",
				CheckoutID: fix.Value("4e425463-3e1b-431d-83fa-1e51c2925e99")}, ID: "8e2b1f0c-5d0a-4a57-9b0e-2f6a3c1d4e5f"})
			if err != nil {
				fix.Fatal(err)
			}
			return header.Get("Sandbox-Signature")
		}},
		"0d3f1f86-9b5b-4c38-8d0f-6f1f2a0b7c55": {"SESSION_ID", func(fix *Fixture) string {
			fix.Open(nil)
			return path.Base(fix.Do(fix.ByIDEAL()).Text("next_step.url"))
		}},
	}
	maps.Copy(placeholders, oauthPlaceholders)
	maps.Copy(placeholders, readerPlaceholders)
	maps.Copy(placeholders, pagePlaceholders)
}

// Guest returns the address of a person who is not a member yet.
func Guest() string { return "guest-" + uuid.NewString() + "@shop.example" }

// queried lists the optional query parameter that build sets for an operation. The operation needs one of several
// parameters.
var queried = map[string]string{"retrieveTransaction": "transaction_code", "retrieveMyTransaction": "transaction_code"}

// prepared lists requests that need more objects than their examples name. A key is an operationId, and the name of the
// body's example if there is one.
var prepared = map[string]func(*Scenario) world.Request{
	"processCheckout recurring": func(t *Scenario) world.Request {
		t.Open(map[string]any{"customer_id": t.Customer(), "purpose": "SETUP_RECURRING_PAYMENT"})
		body := t.Card(world.Challenged)
		body["mandate"] = map[string]any{"type": "recurrent", "user_agent": "Mozilla/5.0", "user_ip": "203.0.113.7"}
		return t.putRequest(body)
	},
	"processCheckout boleto": func(t *Scenario) world.Request {
		t.Shop = t.NewShop("BR", "BRL", nil)
		t.Open(nil)
		return t.putRequest(ByBoleto)
	},
	"createReaderCheckout pix": func(t *Scenario) world.Request {
		t.Shop = t.NewShop("BR", "BRL", nil)
		r := t.PairReader("SHOWN001").SaleRequest(1010)
		r.Body.(map[string]any)["payment_type"] = "pix"
		return r
	},
	"updateFile complete": func(t *Scenario) world.Request {
		f := t.NewFile(world.PDF, nil)
		if status, body := t.Put(f.Upload, world.PDF); status != 200 {
			t.Fatalf("upload: got %d %s, want 200", status, body)
		}
		return world.Request{Method: "PUT", Path: t.FilesPath() + "/" + f.ID, Body: map[string]any{"status": "uploaded"}}
	},
	"completePayment answered": func(t *Scenario) world.Request {
		t.Open(nil)
		t.StartChallenge("approve")
		return t.Complete()
	},
	"completePaymentByLink": func(t *Scenario) world.Request {
		form := t.startChallengeForm()
		return world.Request{Path: form.Get("TermUrl") + "?MD=" + form.Get("MD")}
	},
	"start3dsChallenge challenge": func(t *Scenario) world.Request {
		return world.Request{Path: "/3ds/start", Body: url.Values{"MD": t.startChallengeForm()["MD"]}}
	},
	"show3dsChallenge challenge": func(t *Scenario) world.Request {
		return world.Request{Path: "/3ds/challenge", Body: t.startChallengeForm()}
	},
	"decide3dsChallenge approve": func(t *Scenario) world.Request {
		form := t.startChallengeForm()
		form.Set("decision", "approve")
		return world.Request{Path: "/3ds/challenge/decision", Body: form}
	},
	"showWelcome": func(*Scenario) world.Request {
		return world.Request{Path: "/", Header: map[string]string{"Accept": "text/html"}}
	},
	"showInvitation": func(t *Scenario) world.Request {
		return world.Request{Path: t.Invite(Guest(), "role_employee").Accept.Path, APIKey: world.NoKey}
	},
	"acceptInvitation accept": func(t *Scenario) world.Request {
		return t.Invite(Guest(), "role_employee").Accept
	},
	"requestPasswordLink ask": func(t *Scenario) world.Request {
		return t.fill("/password", url.Values{"email": {t.Owner().Email}})
	},
	"showPasswordLink": func(t *Scenario) world.Request {
		return world.Request{Path: t.PasswordPath(), APIKey: world.NoKey}
	},
	"setPassword set": func(t *Scenario) world.Request {
		t.Secret("password", NewPassword)
		return t.fill(t.PasswordPath(), url.Values{"password": {NewPassword}})
	},
	"showReceipt": func(t *Scenario) world.Request {
		return world.Request{Path: t.createReceiptLink(), APIKey: world.NoKey}
	},
	"updateMember user": func(t *Scenario) world.Request {
		members := "/v0.1/merchants/" + t.Merchant.Code + "/members"
		made := t.Send("POST", members, map[string]any{"email": "till-4@shop.example", "is_managed_user": true,
			"roles": []string{member.RoleEmployee}, "password": Password})
		return world.Request{Path: members + "/" + made.Text("id"),
			Body: map[string]any{"user": map[string]any{"nickname": "Counter", "password": "another battery staple"}}}
	},
	"downloadBoleto": func(t *Scenario) world.Request {
		return world.Request{Path: NewBoleto(t.World).Link()}
	},
	"downloadArtefact": func(t *Scenario) world.Request {
		b := NewBoleto(t.World)
		var read struct{ Artefacts []struct{ Location string } }
		if err := b.Send("GET", "/v0.1/checkouts/"+b.CheckoutID, nil).Into(&read); err != nil || len(read.Artefacts) == 0 {
			t.Fatalf("got %+v, error %v; want an artefact", read, err)
		}
		return world.Request{Path: strings.TrimPrefix(read.Artefacts[0].Location, "http://cashwrap.test")}
	},
}

func (t *Scenario) createReceiptLink() string {
	t.Helper()
	made := t.Do(t.ReceiptRequest("links"))
	at := strings.LastIndex(made.Text("url"), "/receipts/")
	if made.Status != http.StatusCreated || at < 0 {
		t.Fatalf("got %d %s, want a link to a receipt", made.Status, made.Body)
	}
	link := made.Text("url")[at:]
	t.Secret("token of a receipt", path.Base(link))
	return link
}

// ReceiptRequest returns a request for the links or emails of a new payment's receipt.
func (t *Scenario) ReceiptRequest(of string) world.Request {
	t.Helper()
	sold := t.Sell("10.10")
	return world.Request{Method: http.MethodPost, APIKey: t.Merchant.Key.Plaintext,
		Path: "/v1.1/receipts/" + sold.ID + "/" + of + "?mid=" + t.Merchant.Code,
		Body: map[string]any{"email": "payer@shop.example"}, IdempotencyKey: of + " of " + sold.ID}
}

// startChallengeForm starts a 3DS payment, and returns the form that the payer's browser posts to the issuer's page.
func (t *Scenario) startChallengeForm() url.Values {
	t.Helper()
	t.Open(nil)
	var started struct {
		NextStep struct{ Payload map[string]string } `json:"next_step"`
	}
	got := t.Do(t.ByCard(world.Challenged))
	if err := json.Unmarshal(got.Body, &started); err != nil || got.Status != 202 {
		t.Fatalf("start: got %d %s, error %v; want 202 and JSON", got.Status, got.Body, err)
	}
	form := url.Values{}
	for name, value := range started.NextStep.Payload {
		form.Set(name, value)
	}
	return form
}

// NeedsPreparation returns true if all requests of the operation must be prepared.
func NeedsPreparation(o checker.Operation) bool {
	if len(o.Examples) == 0 {
		return prepared[o.OperationID] != nil
	}
	return !slices.ContainsFunc(o.Examples, func(e checker.Example) bool {
		return prepared[o.OperationID+" "+e.Name] == nil
	})
}

// Placeholder returns the name of the placeholder for a value in the operation's sample event. It returns "" if the
// event contains the value itself, such as the id of the object that the operation creates.
func Placeholder(o checker.Operation, value string) string {
	by, made := makers()[value]
	switch {
	case !made:
		return placeholders[value].name
	case by.operation.OperationID == o.OperationID:
		return ""
	default:
		return strings.ToUpper(by.parameter)
	}
}

package store

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// kinds lists all kinds, including those of the counterparties' records.
var kinds = []Kind{KindMerchant, KindAccount, KindAudit, KindAPIKey, KindAccessToken, KindKeyUse, KindMembers,
	KindRoles, KindUser, KindEmail, KindMemberships, KindInvitation, KindPasswordLink, KindCheckout, KindReference,
	KindTransaction, KindReceipts, KindReceiptLink, KindJournal, KindPayable, KindReserve, KindSession, KindPaymentPage,
	KindCustomer, KindBankAccounts, KindKnown, KindAccess, KindPayoutSchedule, KindPayout, KindPayoutRecords,
	KindPayoutLease, KindStatement, KindProof, KindTenants, KindProven, KindClosing, KindCallback, KindMail, KindBreaker,
	KindIdempotency, KindRate, KindFiles, KindObjects, KindGrowth, KindReady, KindBirth, KindList, KindHistory,
	KindChanges, KindDue, KindDead, KindPayoutDue, "SANDBOX", "STRIPE", "FILEBANK", "TERMINAL"}

func TestKinds_Distinct(t *testing.T) {
	t.Parallel()
	for at, kind := range kinds {
		if kind == "" || strings.ContainsAny(string(kind), "#*?") {
			t.Errorf("kind %q: got a separator or a wildcard of IAM, want none", kind)
		}
		if slices.Contains(kinds[at+1:], kind) {
			t.Errorf("kind %q: got it twice, want it once", kind)
		}
	}
}

// clientText generates ids as clients and attackers send them, with separators, kinds, tenants and digests.
func clientText() *rapid.Generator[string] {
	part := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"#", "##", "T", "L", "MC0A1B2C3D", "T#MC0A1B2C3D",
		longText, digest(""), strings.Repeat("ü", longestPlainID), "~", "*", "\x00"}),
		rapid.Map(rapid.SampledFrom(kinds), func(k Kind) string { return string(k) + "#" }))
	return rapid.Map(rapid.SliceOfN(part, 0, 6), func(parts []string) string { return strings.Join(parts, "") })
}

func tenants() *rapid.Generator[identity.Tenant] {
	return rapid.Custom(func(t *rapid.T) identity.Tenant {
		return identity.Tenant{Mode: rapid.SampledFrom(identity.Modes).Draw(t, "mode"),
			Merchant: rapid.SampledFrom([]string{"MC0A1B2C3D", "MC0A1B2C3", "MC1", "M"}).Draw(t, "merchant")}
	})
}

// fromText lists the functions whose keys contain text from a client.
var fromText = []func(identity.Tenant, string) key{
	checkoutKey,
	referenceKey,
	customerKey,
	payoutKey,
	breakerKey,
	idempotencyKey,
	func(t identity.Tenant, code string) key { return transactionKey(t, code, "id") },
	func(t identity.Tenant, code string) key { return eventKey(t, code, "id") },
	func(t identity.Tenant, code string) key { return receiptKey(t, code, "id") },
	func(t identity.Tenant, code string) key { return key{journalPartition(t, code), "refund#id"} },
	func(t identity.Tenant, id string) key { return cardKey(t, id, "any card") },
	func(t identity.Tenant, token string) key { return cardKey(t, "any customer", token) },
}

// TestKeys_ClientText checks that two keys are equal only if their kinds, tenants and texts are equal. Each key begins
// with its kind and tenant.
func TestKeys_ClientText(t *testing.T) {
	t.Parallel()
	type origin struct {
		maker  int
		tenant identity.Tenant
		text   string
	}
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(clientText(), 1, 3).Draw(t, "texts")
		for _, text := range slices.Clone(texts) {
			texts = append(texts, bounded(text), digest(text)) // texts that spell another text's digest
		}
		made := map[key]origin{}
		for _, tenant := range rapid.SliceOfN(tenants(), 1, 3).Draw(t, "tenants") {
			for _, text := range texts {
				for maker, keyOf := range fromText {
					k, is := keyOf(tenant, text), origin{maker, tenant, text}
					if other, taken := made[k]; taken && other != is {
						t.Fatalf("%+v and %+v: got the same key %+v, want different ones", other, is, k)
					}
					made[k] = is
					p, ok := ParsePartition(k.PK)
					if !ok || p.Tenant != tenant || !strings.HasPrefix(k.PK, string(p.Kind)+"#"+tenant.String()+"#") {
						t.Fatalf("%+v: got key %+v of %+v, want one of its tenant", is, k, p)
					}
					if len(k.PK) > 2048 || len(k.SK) > 1024 {
						t.Fatalf("%+v: got a key of %d and %d bytes, want what DynamoDB takes", is, len(k.PK), len(k.SK))
					}
				}
			}
		}
	})
}

// TestDueEntry_RoundTrip checks that the due index names exactly the item that was put in.
func TestDueEntry_RoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tenant := tenants().Draw(t, "tenant")
		id := rapid.Map(clientText(), func(text string) string { // ids in the index are ours, and short
			return strings.ToValidUTF8(text[:min(len(text), 255)], "")
		}).Filter(func(id string) bool { return id != "" && bounded(id) == id }).Draw(t, "id")
		for k, want := range map[key]Due{
			checkoutKey(tenant, id):          {Tenant: tenant, CheckoutID: id},
			eventKey(tenant, id, id):         {Tenant: tenant, RefundID: id},
			payoutKey(tenant, id):            {Tenant: tenant, PayoutID: id},
			payoutScheduleKey(tenant):        {Tenant: tenant, Schedule: true},
			growthKey(tenant):                {Tenant: tenant, Growth: true},
			callbackKey(id):                  {CallbackID: id},
			objectKey("files/" + digest(id)): {Object: "files/" + digest(id)},
			transactionKey(tenant, id, id):   {},
			customerKey(tenant, id):          {},
			merchantKey(tenant.Merchant):     {},
			{tenant.String() + "#" + id, id}: {},
		} {
			if got, ok := k.dueEntry(); got != want || ok != (want != Due{}) {
				t.Fatalf("%+v: got %+v, %t, want %+v", k, got, ok, want)
			}
		}
	})
}

// TestParseReconciled_RoundTrip checks that each item is read under the tenant and the name that it was written for.
func TestParseReconciled_RoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tenant, text := tenants().Draw(t, "tenant"), clientText().Draw(t, "name")
		about := ledger.Reference{Subject: ledger.SubjectPayout, ID: text}
		for name, k := range map[string]key{
			"transaction": transactionKey(tenant, text, "1"), "event": eventKey(tenant, text, "1"),
			"entry":  journalKey(tenant, ledger.Entry{ID: "1", Kind: "payout", About: about}),
			"payout": payoutKey(tenant, text),
		} {
			a, ok := parseReconciled(k.item())
			if !ok || a.Broken != "" || a.Tenant != tenant || a.Name != bounded(text) {
				t.Fatalf("%s %+v: got %t, %+v, want it read as %s of %s", name, k, ok, a, text, tenant)
			}
		}
		for _, k := range []key{customerKey(tenant, text), checkoutKey(tenant, text), referenceKey(tenant, text),
			receiptKey(tenant, text, "1"), idempotencyKey(tenant, text), callbackKey(text), rateKey(text)} {
			if a, ok := parseReconciled(k.item()); ok {
				t.Fatalf("%+v: got %+v, want it left out", k, a)
			}
		}
	})
}

// TestShardNamed checks that each partition of a shard names that shard and tenant alone, so that a throttled partition
// leads to its shard. No other key, with any text, names a shard.
func TestShardNamed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]shardRef{}
		for _, tenant := range rapid.SliceOfNDistinct(tenants(), 1, 3, rapid.ID).Draw(t, "tenants") {
			shards := rapid.SliceOfNDistinct(rapid.IntRange(0, merchant.MaxShards-1), 1, 4, rapid.ID).Draw(t, "shards")
			for _, shard := range shards {
				for _, partition := range []string{checkoutsList(tenant, shard), historyList(tenant, shard),
					changesList(tenant, shard), payablePartition(tenant, "EUR", shard), payablePartition(tenant, "BRL", shard)} {
					if other, taken := want[partition]; taken {
						t.Fatalf("%s: got it of %+v and of shard %d of %s, want it of one", partition, other, shard, tenant)
					}
					want[partition] = shardRef{tenant, shard}
				}
			}
			for _, keyOf := range fromText {
				if k := keyOf(tenant, clientText().Draw(t, "text")); k.PK != "" {
					if ref, ok := shardNamed(k.PK); ok {
						t.Fatalf("%s: got %+v, want no shard", k.PK, ref)
					}
				}
			}
		}
		for partition, shard := range want {
			if got, ok := shardNamed(partition); !ok || got != shard {
				t.Fatalf("%s: got %+v, %t, want %+v", partition, got, ok, shard)
			}
		}
	})
}

package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// Keys and access patterns of the table.
//
// A partition key begins with the kind of what it holds (kind.go), so that IAM can grant and deny by kind. The tenant M
// follows, "L#<merchant>" or "T#<merchant>". A credential forms only keys of its tenant, so no query reaches another
// merchant's data or mixes test and live data. Text from clients comes last. Other keys are in peoplekeys.go,
// moneykeys.go and filekeys.go. The places in the due index are in due.go.
//
// A merchant's shards (merchant.Merchant.ShardCount) divide the partitions that each payment writes: payables, and the
// partitions of the indexes list, history and changes. The keys of shard n, from 1, end with "#n".
//
//	entity             pk                          sk                          written by
//	merchant           MERCHANT#<code>             MERCHANT                    merchants, provision, sweep
//	onboarding data    ACCOUNT#<code>              ACCOUNT                     provision
//	audit entry        AUDIT#<code>                <µs>#<id>                   apikeys, files, members, merchants,
//	                                                                           provision, readers, sweep, testprofiles
//	API key            KEY#M                       KEY#<sha256 of token>       apikeys, members, merchants, provision
//	deleted API key    KEY#M                       DELETED#<id>                apikeys, provision
//	count of new keys  KEY#M                       COUNT                       apikeys, provision
//	use of an API key  KEYUSE#M                    KEYUSE#<id>                 rest, once an hour at most; apikeys,
//	                                                                           members, merchants, provision delete it
//	access token       TOKEN#<sha256 of token>     TOKEN                       apikeys, oauth
//	OAuth client       CLIENT#<id>                 CLIENT                      provision
//	code               CODE#<sha256 of code>       CODE                        oauth
//	grant              GRANT#<sha256 of refresh    GRANT                       oauth
//	                   token>
//	session            SIGNIN#<sha256 of cookie>   SIGNIN                      oauth
//	its lead           ACCESS#<sha256 of account>  SESSION#<µs began>#<sha256> oauth
//	a code's lead      ACCESS#<sha256 of account>  CLIENT#<id>#CODE#<sha256>   oauth
//	a grant's lead     ACCESS#<sha256 of account>  CLIENT#<id>#GRANT#<sha256>  oauth
//	second factor      FACTOR#<user>               FACTOR                      oauth, provision
//	known address      KNOWN#<mac of account and   ADDRESS                     oauth
//	                   address>
//	test profile       TESTPROFILES#M              TESTPROFILE#<id>            testprofiles
//	deleted profile    TESTPROFILES#M              DELETED#<id>                testprofiles
//	count of profiles  TESTPROFILES#M              COUNT                       testprofiles
//	reader             READERS#M                   READER#<id>                 readers
//	deleted reader     READERS#M                   DELETED#<id>                readers
//	count of readers   READERS#M                   COUNT                       readers
//	file               FILES#M                     FILE#<id>                   files, sweep
//	listed file        FILES#M                     FILES#<µs created>#<id>     files, sweep
//	deleted file       FILES#M                     DELETED#<id>                files, sweep
//	count of files     FILES#M                     COUNT#FILES                 files
//	collection         FILES#M                     COLLECTION#<id>             files, sweep
//	listed collection  FILES#M                     COLLECTIONS#<µs>#<id>       files
//	count of these     FILES#M                     COUNT#COLLECTIONS           files
//	object of a file   OBJECTS#<first digit>       <32 random digits>          files, sweep
//	member             MEMBERS#M                   MEMBER#<number>             merchants, members, provision
//	address guard      MEMBERS#M                   EMAIL#<sha256 of address>   merchants, members, provision
//	deleted member     MEMBERS#M                   DELETED#<number>            merchants, members
//	count of members   MEMBERS#M                   COUNT                       merchants, members, provision
//	invited address    MEMBERS#M                   INVITED#<sha256 of address> members
//	roles              ROLES#M                     ROLES                       members, merchants
//	deleted role       ROLES#M                     DELETED#<id>                members
//	user               USER#<id>                   USER                        members, provision
//	user's address     EMAIL#<sha256 of address>   EMAIL                       members, provision
//	membership         MEMBERSHIPS#<user>          MEMBERSHIP#M                members, provision
//	invitation         INVITATION#<sha256>         INVITATION                  members; of its token
//	password link      PASSWORDLINK#<sha256>       PASSWORDLINK                members, provision; of its token
//	checkout           CHECKOUT#M#<id>             CHECKOUT                    checkouts, pages, readers, sandbox,
//	                                                                           provision, polls, notices, sweep
//	reference guard    REFERENCE#M#<reference>     REFERENCE                   checkouts
//	payment's own id   REFERENCE#M#<foreign id>    PAYMENT#<0 or 1>#<µs>#<id>  with transactions at readers
//	transaction        TRANSACTION#M#<code>        TRANSACTION#<id>            writers of checkouts and events
//	event              TRANSACTION#M#<code>        EVENT#<id>                  transactions, payoutrun, provision,
//	                                                                           polls, notices, sweep
//	receipt number     TRANSACTION#M#<code>        RECEIPT#<id>                receipts; of a payment or refund
//	receipt counter    RECEIPTS#M                  COUNTER                     receipts
//	link to a receipt  RECEIPTLINK#<sha256>        RECEIPTLINK                 receipts; of its token
//	journal entry      JOURNAL#M#<code or subject> <kind>#<id>                 with the record whose money it moves;
//	                                                                           reconcile, provision
//	payable            PAYABLE#M#<currency>[#n]    DEBIT#<µs eligible>#<id>    likewise, and payoutrun
//	                                               CREDIT#<µs eligible>#<id>
//	reserve            RESERVE#M#<currency>        RESERVE                     with pending refunds, where a minimum
//	                                                                           balance is set; payoutrun
//	payer session      SESSION#<sha256 of token>   SESSION                     with its checkout
//	payment page       PAYPAGE#<sha256 of id>      PAYPAGE                     checkouts; of a hosted checkout
//	customer           CUSTOMER#M#<id>             CUSTOMER                    customers
//	saved card         CUSTOMER#M#<id>             CARD#<token>                customers, with its checkout
//	bank accounts      BANKACCOUNTS#M              BANKACCOUNTS                merchants, provision, sweep
//	payout schedule    PAYOUTSCHEDULE#M            SCHEDULE                    merchants, provision, payoutopen, sweep
//	payout             PAYOUT#M#<id>               PAYOUT                      merchants, payoutopen, payoutrun,
//	                                                                           provision, sweep
//	payout record      PAYOUTS#M                   <day>#<payout>#<payable>    payoutrun, provision
//	payout lease       PAYOUTLEASE#<shard>         LEASE                       payoutopen
//	statement line     STATEMENT#M#<subject>       <kind>#<line id>            reconcile; of a subject of the journal
//	proof              PROOF#<run>                 RUN                         reconcile
//	its progress       PROOF#<run>                 SEGMENT#<n>                 reconcile, prove
//	its breaks         PROOF#<run>                 BREAK#<sha256>              reconcile, prove
//	import of lines    PROOF#                      IMPORTS                     reconcile
//	latest run         PROOF#                      NIGHTS                      reconcile
//	tenant to prove    TENANTS#<shard>             TENANT#M                    provision; prove, reconcile
//	proven subject     PROVEN#M                    SUBJECT#<id>                prove, reconcile, provision
//	id of a correction PROVEN#M                    CORRECTION#<id>             provision
//	closing of a day   CLOSING#M#<currency>        DAY#<day>                   prove; of the journal
//	                                               ACQUIRER#<UTC date>         prove; of the acquirer
//	callback           CALLBACK#<msg id>           CALLBACK                    with its checkout; callbacks,
//	                                                                           provision, sweep
//	mail               MAIL#<id>                   MAIL                        members, merchants, oauth, provision,
//	                                                                           receipts, sweep; mails
//	circuit breaker    BREAKER#M#<sha256 of host>  BREAKER                     callbacks, when a host times out
//	idempotency record IDEMPOTENCY#M#<sha256 name> IDEMPOTENCY                 rest; its name is of the client's key
//	                                                                           and the kind of credential, or its person
//	rate bucket        RATE#<sha256 of subject>    RATE                        rest
//	growth             GROWTH#M                    GROWTH                      any function whose write for the tenant
//	                                                                           is throttled; sweep
//	birth of an index  BIRTH#changes               BIRTH                       sweep, once for a table
//	readiness          READY#                      READY                       no function; pages only tries to write
//	sandboxes          SANDBOX#…                   …                           acquirer/sandbox, bank/sandbox
//	live acquirer      STRIPE#…                    …                           acquirer/stripe
//	live bank          FILEBANK#…                  …                           bank/file
//	virtual terminals  TERMINAL#…                  …                           terminal/virtual
//
//	index    partition                    sort                     holds
//	list     CHECKOUTS#M[#n]              <µs of creation>#<id>    checkouts, newest first
//	list     SANDBOX#…                    …                        lines of the sandboxes' statements, hints; by day
//	due      DUE#<shard>, DEAD#<shard>    <µs when due>            work of the sweep when it is due:
//	                                                               checkouts (recovery, poll, expiry),
//	                                                               refunds without an outcome, callbacks
//	                                                               and mails; dead ones wait for a replay;
//	                                                               growth; objects of files that were not
//	                                                               uploaded or are to be deleted; bank
//	                                                               accounts while one is pending
//	                                                               verification
//	due      PAYOUTDUE#<shard>            <µs when due>#<pk>       payout schedules and open payouts
//	history  HISTORY#M[#n]                <µs of creation>#<id>    payments, refunds and chargebacks, with
//	                                                               the attributes of filters
//	changes  CHANGES#M[#n]                <µs of change>#<id>      payments, refunds and chargebacks that
//	                                                               changed since their creation, other than
//	                                                               by a payout
//	changes  CHANGES#M#PAYOUTS            <µs of change>#<day>#    payouts that have changed payments
//	                                      <payout>#
//
// Access patterns, and the keys that serve them; functions/CAPACITY.md has their measured cost.
//
//	authenticate                  API key and merchant, in one batch: a key names its merchant; or first the
//	                              access token, and the user's membership if the path names another merchant,
//	                              then member, roles and merchant in one batch
//	create a checkout             checkout and reference guard, and the payment page of a hosted one, in one
//	                              transaction
//	read a checkout               its key; its transactions are in the item
//	read a merchant's account     onboarding data, beside the merchant that each request reads
//	list checkouts                index list, then the items in batches; by reference the guard
//	read a hosted checkout        payment page, then the checkout and its merchant
//	process a checkout            its key, with a token the card's too; one put claims the attempt; one
//	                              transaction records the outcome
//	customer, saved cards         one partition
//	transaction by any id         its partition, with its events: the id, the client transaction id and the
//	                              internal id determine the code; by foreign id first the last two items of
//	                              its partition: the reference guard, then the checkout, and the preferred
//	                              payment at a reader
//	page of the history           index history, then the items in batches; with a filter, growing queries
//	                              over at most 1,000 entries that do not match, and over more while the page
//	                              has no item; by code a transaction's partition
//	changes since a time          birth of the index, once for a process; index changes, the records of the
//	                              payouts in it, then index history from that time on and the items of the
//	                              page; before the birth or with over 5,000 changes as a page of the history
//	refund                        the transaction's partition, one transaction to begin it and one for its
//	                              outcome; with a minimum balance the reserve and the merchant's payables,
//	                              until they suffice
//	receipt                       the transaction's partition; the first time one transaction with the counter
//	link to a receipt             the link by its token, then the receipt
//	mail a receipt                the receipt; one transaction of link and mail
//	bank accounts                 their key: one item has all of a tenant's accounts, so that one condition
//	                              protects their rules
//	open payouts                  index due by shard, under the shard's lease; each schedule and its merchant,
//	                              and whether there is any payable
//	run a payout                  its key; payables in batches of 32, records of 49, each batch one
//	                              transaction with the payments' transactions
//	list payouts                  the tenant's payout records, by day
//	try a callback                callback, breaker, merchant
//	send a mail                   mail, merchant; members for owners and invitations, memberships without a tenant
//	sign in                       account, known address, two buckets; then session and known address
//	show or change one's account  session and account; leads of the account, at most 50 to sessions and 500 to
//	                              grants, then sessions, grants, clients and merchants in batches; each deletion
//	                              is one transaction with the lead's
//	what is due                   index due by shard
//	reconcile                     for each transaction, payout or settlement its partition, its journal, its lines of
//	                              statements, and the payables and records that it expects, by key. All of them
//	                              are found by a scan in segments; those that changed by the directory of tenants
//	                              and their indexes history and changes
//	API key by its id             the tenant's keys, at most 100; when they were used, in one batch
//	create an API key             key, deleted key and count, by ids that follow from the operation; the
//	                              tenant's keys; one transaction with the count
//	create a test profile         profile, deleted profile and count, by ids that follow from the operation; the
//	                              tenant's profiles, at most 20; one transaction with the count
//	list test profiles            one partition
//	delete a test profile         its key; one transaction
//	create a reader               reader, deleted reader and count, by ids that follow from the operation; the
//	                              tenant's readers, at most 100; one transaction with the count
//	list readers                  one partition; then a put for each reader whose terminal has reported
//	read a reader                 its key
//	change or delete a reader     its key; one transaction
//	create a file                 file, deleted file, count and collection, by ids that follow from the operation; one
//	                              transaction with these, the object's entry and the listed file
//	read a file or collection     its key
//	list files or collections     the listed ones, at most 5,000 of about 130 bytes, in one query; a batch for the page
//	change a file                 file, then its object's entry and collections in a batch; one transaction
//	delete or drop a file         file and deleted file, then the same
//	create a collection           collection and count; one transaction
//	change a collection           its key; one transaction
//	objects of a shard            one partition, in the order of keys, and their files in batches
//	audit of a merchant           its entries, by time
//	grow a merchant               growth, entries of its shard in the last ten seconds, merchant
//	change a merchant             merchant, then its payout schedules, and bank accounts if they change, in one
//	                              batch; one transaction with the schedules of the changed modes
//	create a member               member, address guard, deleted member, count and roles, by ids that follow from
//	                              the operation; one transaction with the count
//	member by either id           its key: the number follows from the id
//	list members                  one partition, at most 1,000
//	change or delete a member     member and roles; one transaction, with the count if an active owner comes or
//	                              goes, and with the roles if a role gets or loses a member
//	change roles                  their key: one item has all of a tenant's roles, each with its number of members
//	invitation by its token       invitation, member, user's address, user
//	accept an invitation          one transaction of these, the membership and the count
//	memberships of a user         one partition, then members, roles and merchants in batches
//
// Items are replaced as a whole under a version condition. Every status change is a pure function from the item read to
// the item written.
const (
	partitionKey = "pk"
	sortKey      = "sk"

	listIndex     = "list"
	listPartition = "list_pk"
	listSort      = "list_sk"

	dueIndex     = "due"
	duePartition = "due_pk"
	dueSort      = "due_sk"

	historyIndex     = "history"
	historyPartition = "history_pk"
	historySort      = "history_sk"

	changesIndex     = "changes"
	changesPartition = "changes_pk"
	changesSort      = "changes_sk"

	// expiresAt is the TTL attribute, in Unix seconds. DynamoDB deletes late, so conditions test it too.
	expiresAt = "expires_at"
)

// key is the primary key of an item, embedded in every item type.
type key struct {
	PK string `dynamo:"pk,hash"`
	SK string `dynamo:"sk,range"`
}

// item returns the key as DynamoDB writes it.
func (k key) item() dynamo.Item {
	return dynamo.Item{partitionKey: &types.AttributeValueMemberS{Value: k.PK},
		sortKey: &types.AttributeValueMemberS{Value: k.SK}}
}

// compare orders keys, so that a read of several keys is the same call each time.
func (k key) compare(other key) int {
	return cmp.Or(strings.Compare(k.PK, other.PK), strings.Compare(k.SK, other.SK))
}

func merchantKey(code string) key { return key{KindMerchant.named(code), "MERCHANT"} }

func accountKey(code string) key { return key{KindAccount.named(code), "ACCOUNT"} }

func auditPartition(code string) string { return KindAudit.named(code) }

func auditKey(code string, e audit.Entry) key {
	return key{auditPartition(code), micros(e.At) + "#" + e.ID}
}

func checkoutKey(t identity.Tenant, id string) key {
	return key{KindCheckout.of(t, bounded(id)), "CHECKOUT"}
}

func referenceKey(t identity.Tenant, reference string) key {
	return key{KindReference.of(t, bounded(reference)), "REFERENCE"}
}

const (
	transactionPrefix = "TRANSACTION#"
	eventPrefix       = "EVENT#"
	receiptPrefix     = "RECEIPT#"
)

// transactionPartition returns the partition of a transaction, its events and its receipt numbers. Two transactions
// with the same code would share the partition, under different sort keys.
func transactionPartition(t identity.Tenant, code string) string {
	return KindTransaction.of(t, bounded(code))
}

func transactionKey(t identity.Tenant, code, id string) key {
	return key{transactionPartition(t, code), transactionPrefix + bounded(id)}
}

func eventKey(t identity.Tenant, code, id string) key {
	return key{transactionPartition(t, code), eventPrefix + bounded(id)}
}

func receiptKey(t identity.Tenant, code, id string) key {
	return key{transactionPartition(t, code), receiptPrefix + id}
}

func receiptCounterKey(t identity.Tenant) key { return key{KindReceipts.of(t), "COUNTER"} }

func growthKey(t identity.Tenant) key { return key{KindGrowth.of(t), "GROWTH"} }

// readyKey returns the key of an item that is never written, for CheckWritable.
func readyKey() key { return key{KindReady.named(""), "READY"} }

// paymentPageKey returns a key without the tenant: a payer's browser knows only the checkout's id.
func paymentPageKey(checkoutID string) key {
	return key{KindPaymentPage.named(digest(checkoutID)), "PAYPAGE"}
}

func customerKey(t identity.Tenant, id string) key {
	return key{KindCustomer.of(t, bounded(id)), "CUSTOMER"}
}

const cardPrefix = "CARD#"

func cardKey(t identity.Tenant, customer, token string) key {
	return key{customerKey(t, customer).PK, cardPrefix + bounded(token)}
}

func callbackKey(id string) key { return key{KindCallback.named(id), "CALLBACK"} }

func mailKey(id string) key { return key{KindMail.named(id), "MAIL"} }

func breakerKey(t identity.Tenant, host string) key {
	return key{KindBreaker.of(t, digest(host)), "BREAKER"}
}

func idempotencyKey(t identity.Tenant, name string) key {
	return key{KindIdempotency.of(t, digest(name)), "IDEMPOTENCY"}
}

func rateKey(subject string) key { return key{KindRate.named(digest(subject)), "RATE"} }

// inShard adds a merchant's shard to the end of a key. Shard 0, the only shard of most merchants, adds nothing.
func inShard(shard int, parts ...string) []string {
	if shard == 0 {
		return parts
	}
	return append(parts, strconv.Itoa(shard))
}

func checkoutsList(t identity.Tenant, shard int) string { return KindList.of(t, inShard(shard)...) }

func changesList(t identity.Tenant, shard int) string { return KindChanges.of(t, inShard(shard)...) }

func changingPayoutsList(t identity.Tenant) string { return KindChanges.of(t, "PAYOUTS") }

func birthKey() key { return key{KindBirth.named(changesIndex), "BIRTH"} }

func historyList(t identity.Tenant, shard int) string { return KindHistory.of(t, inShard(shard)...) }

// longestPlainID, in bytes, keeps a key within the table's limits (2,048 bytes, and 1,024 for the sort key).
const longestPlainID = 1000

// longText marks the digest of a longer text in a key.
const longText = "sha256#"

// bounded replaces text from a client that is too long for a key with the text's digest. The only id that can be that
// long is a customer_id: 255 characters of four bytes (contract §5.1). Text that looks like such a digest is replaced
// too, so that different texts never share a key.
func bounded(id string) string {
	if len(id) <= longestPlainID && !strings.HasPrefix(id, longText) {
		return id
	}
	return longText + digest(id)
}

// digest shortens and hides text from clients in a key.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// micros returns a UTC time of fixed width, so that times sort as text; time.Time's own text drops trailing zeros. The
// 16 digits reach from 1970 to 2286. A time of a client's filter outside that range becomes the nearest time inside.
func micros(t time.Time) string {
	return fmt.Sprintf("%016d", min(max(t.UnixMicro(), 0), 9_999_999_999_999_999))
}

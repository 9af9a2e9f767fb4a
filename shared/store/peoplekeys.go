package store

import (
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/signin"
)

// The keys of a merchant's people, of credentials and of readers, as the table in keys.go lists them.

// deletionKey returns the key of the record of a thing's deletion. The record is in the partition of the thing.
func deletionKey(k Kind, t identity.Tenant, id string) key {
	return key{k.of(t), "DELETED#" + bounded(id)}
}

const apiKeyPrefix = "KEY#"

func keyForAPIKey(t identity.Tenant, tokenHash string) key {
	return key{KindAPIKey.of(t), apiKeyPrefix + tokenHash}
}

func accessTokenKey(tokenHash string) key { return key{KindAccessToken.named(tokenHash), "TOKEN"} }

func oauthClientKey(id string) key { return key{KindOAuthClient.named(bounded(id)), "CLIENT"} }

func codeKey(codeHash string) key { return key{KindCode.named(codeHash), "CODE"} }

// grantKey returns the key of a grant, by the hash of its refresh token.
func grantKey(refreshHash string) key { return key{KindGrant.named(refreshHash), "GRANT"} }

func receiptLinkKey(tokenHash string) key {
	return key{KindReceiptLink.named(tokenHash), "RECEIPTLINK"}
}

func sessionKey(tokenHash string) key { return key{KindSession.named(tokenHash), "SESSION"} }

func signInKey(cookieHash string) key { return key{KindSignIn.named(cookieHash), "SIGNIN"} }

const (
	sessionPrefix = "SESSION#"
	permitPrefix  = "CLIENT#"
	codeMark      = "#CODE#"
	grantMark     = "#GRANT#"
)

// accessPartition returns the partition of the leads of an account (of signin). A user has one account for all
// merchants.
func accessPartition(k identity.Kind, id string, t identity.Tenant) string {
	if k == identity.User {
		t = identity.Tenant{}
	}
	return KindAccess.named(digest(strings.Join([]string{string(k), id, t.String()}, "\x00")))
}

func sessionLeadKey(a signin.Account, began time.Time, cookieHash string) key {
	return key{accountPartition(a), sessionPrefix + micros(began) + "#" + cookieHash}
}

// permitsOf returns the prefix of the leads to a client's codes and grants.
func permitsOf(client string) string { return permitPrefix + bounded(client) + "#" }

// permitLeadKey returns the key of the lead to a code or grant of the holder, by its mark and hash.
func permitLeadKey(h oauth.Holder, mark, hash string) key {
	return key{holderPartition(h), strings.TrimSuffix(permitsOf(h.Client), "#") + mark + hash}
}

// factorKey returns the key of an account's second factor, by the id of its user.
func factorKey(user string) key { return key{KindFactor.named(bounded(user)), "FACTOR"} }

// knownKey returns the key of an address that an account knows, by signin.KnownKey.Address.
func knownKey(id string) key { return key{KindKnown.named(id), "ADDRESS"} }

const testProfilePrefix = "TESTPROFILE#"

func testProfileKey(t identity.Tenant, id string) key {
	return key{KindTestProfiles.of(t), testProfilePrefix + bounded(id)}
}

func testProfileCountKey(t identity.Tenant) key { return key{KindTestProfiles.of(t), "COUNT"} }

func keyForAPIKeyCount(t identity.Tenant) key { return key{KindAPIKey.of(t), "COUNT"} }

func keyForAPIKeyUse(t identity.Tenant, id string) key { return key{KindKeyUse.of(t), "KEYUSE#" + id} }

const (
	memberPrefix  = "MEMBER#"
	addressPrefix = "EMAIL#"
)

func memberKey(t identity.Tenant, number int32) key {
	return key{KindMembers.of(t), memberPrefix + strconv.Itoa(int(number))}
}

// addressKey returns the key of the guard of an e-mail address in its unique form.
func addressKey(t identity.Tenant, address string) key {
	return key{KindMembers.of(t), addressPrefix + digest(address)}
}

func deletedMemberKey(t identity.Tenant, number int32) key {
	return deletionKey(KindMembers, t, strconv.Itoa(int(number)))
}

func invitedKey(t identity.Tenant, address string) key {
	return key{KindMembers.of(t), "INVITED#" + digest(address)}
}

func rolesKey(t identity.Tenant) key { return key{KindRoles.of(t), "ROLES"} }

func userKey(id string) key { return key{KindUser.named(bounded(id)), "USER"} }

// emailKey returns the key that leads to the user with an address in its unique form.
func emailKey(address string) key { return key{KindEmail.named(digest(address)), "EMAIL"} }

const membershipPrefix = "MEMBERSHIP#"

func membershipKey(user string, t identity.Tenant) key {
	return key{KindMemberships.named(bounded(user)), membershipPrefix + t.String()}
}

func invitationKey(tokenHash string) key { return key{KindInvitation.named(tokenHash), "INVITATION"} }

func passwordLinkKey(tokenHash string) key {
	return key{KindPasswordLink.named(tokenHash), "PASSWORDLINK"}
}

func memberCountKey(t identity.Tenant) key { return key{KindMembers.of(t), "COUNT"} }

const cardReaderPrefix = "READER#"

func cardReaderKey(t identity.Tenant, id string) key {
	return key{KindReaders.of(t), cardReaderPrefix + bounded(id)}
}

func readerCountKey(t identity.Tenant) key { return key{KindReaders.of(t), "COUNT"} }

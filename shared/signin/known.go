package signin

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// KnownLasts limits how long a browser or an address stays known after a sign-in (contract §2.9).
const KnownLasts = 90 * 24 * time.Hour

// maxDevices limits the devices in one cookie. The devices of the accounts that signed in last are kept.
const maxDevices = 5

// KnownKey is the platform's key for device cookies and for the ids of known addresses.
//
// A device cookie proves an earlier sign-in to the account in this browser. The browser then has a separate bucket of
// password tries. So strangers who empty the name's bucket do not lock the account out (OWASP, "Slow Down Online
// Guessing Attacks with Device Cookies"). The cookie alone signs no user in. It is not stored.
//
// A device or known address belongs to one account and its current password. An attacker who knows the password may
// collect many devices, but a new password ends them all. A managed user that another merchant makes under the same
// email address is another account.
type KnownKey []byte

// The parts of a device in a cookie: the time in Unix seconds, a random id, and the MAC over both.
const (
	deviceTimeBytes = 8
	deviceIDBytes   = 16
	deviceMACBytes  = 16
	deviceBytes     = deviceTimeBytes + deviceIDBytes + deviceMACBytes
)

// deviceSeparator separates the devices of a cookie.
const deviceSeparator = "."

// Device returns the id of the account's device in the cookie. It returns "" if the cookie has no device of the
// account, or if the account has no password. It computes the MAC of every device in the cookie, so that the time it
// takes does not show the result.
func (k KnownKey) Device(cookie string, a Account, now time.Time) string {
	id := ""
	for _, d := range parseDevices(cookie) {
		if k.isDeviceOf(d, a, now) && id == "" {
			id = hex.EncodeToString(d[deviceTimeBytes : deviceTimeBytes+deviceIDBytes])
		}
	}
	return id
}

// WithDevice returns the cookie with a new device, which replaces the account's old devices.
func (k KnownKey) WithDevice(cookie string, a Account, now time.Time) string {
	fresh := binary.BigEndian.AppendUint64(nil, uint64(now.Unix())) //nolint:gosec // no clock shows a time before 1970
	id := make([]byte, deviceIDBytes)
	_, _ = rand.Read(id) // never fails
	fresh = append(fresh, id...)
	fresh = append(fresh, k.mac("device", a, string(fresh))[:deviceMACBytes]...)
	others := slices.DeleteFunc(parseDevices(cookie), func(d []byte) bool { return k.isDeviceOf(d, a, now) })
	var texts []string
	for _, d := range append([][]byte{fresh}, others[:min(len(others), maxDevices-1)]...) {
		texts = append(texts, base64.RawURLEncoding.EncodeToString(d))
	}
	return strings.Join(texts, deviceSeparator)
}

// Address returns the id of a network address known to the account. The id reveals the address only with the key.
func (k KnownKey) Address(address string, a Account) string {
	return hex.EncodeToString(k.mac("address", a, address))
}

// parseDevices returns the devices in a cookie, whether they are authentic or forged.
func parseDevices(cookie string) (all [][]byte) {
	for part := range strings.SplitSeq(cookie, deviceSeparator) {
		if d, err := base64.RawURLEncoding.DecodeString(part); err == nil && len(d) == deviceBytes &&
			len(all) < maxDevices {
			all = append(all, d)
		}
	}
	return all
}

// isDeviceOf returns true if a device belongs to the account and has not expired.
func (k KnownKey) isDeviceOf(d []byte, a Account, now time.Time) bool {
	body, mac := d[:len(d)-deviceMACBytes], d[len(d)-deviceMACBytes:]
	//nolint:gosec // G115: a time after year 292 billion is in no authentic device
	made := time.Unix(int64(binary.BigEndian.Uint64(body)), 0)
	return hmac.Equal(mac, k.mac("device", a, string(body))[:deviceMACBytes]) && a.Passwords.Current() != "" &&
		!made.After(now) && now.Before(made.Add(KnownLasts))
}

// mac returns the MAC of a text. It depends on the purpose, and on an account and its current password.
func (k KnownKey) mac(purpose string, a Account, text string) []byte {
	var all bytes.Buffer
	for _, part := range []string{purpose, string(a.Kind), a.ID, a.Tenant.String(), a.Passwords.Current(), text} {
		_, _ = fmt.Fprintf(&all, "%d:%s", len(part), part) // never fails
	}
	mac := hmac.New(sha256.New, k)
	_, _ = mac.Write(all.Bytes()) // never fails
	return mac.Sum(nil)
}

package app

import (
	"encoding/json"
	"slices"

	"github.com/cashwrap/cashwrap/shared/acquirer"
)

// linked has the acquirers that the program can use in live mode, by name.
var linked = map[string]func(*App) acquirer.Acquirer{}

// LinkAcquirer lets LIVE_ACQUIRER name an acquirer. The package of an acquirer calls it when the program starts, so
// that only programs that import the package link the acquirer.
func LinkAcquirer(name string, open func(*App) acquirer.Acquirer) { linked[name] = open }

// openLive returns live mode's acquirer. A program that links no acquirer gets one that fails: without an answer, no
// open charge counts as cancelled. A program that links some panics on any other name.
func (a *App) openLive() acquirer.Acquirer {
	switch open := linked[a.LiveAcquirer]; {
	case a.overrides.LiveAcquirer != nil:
		return a.overrides.LiveAcquirer(a)
	case a.LiveAcquirer == "":
		return acquirer.None{}
	case len(linked) == 0:
		return acquirer.Unlinked{}
	case open == nil:
		panic("app: LIVE_ACQUIRER names no acquirer that this program links")
	default:
		return open(a)
	}
}

// AcquirerKeys are the secrets that live mode's acquirer and the platform share. ACQUIRER_SECRET has them as a JSON
// object, such as {"key":"rk_live_…","notices":["whsec_…"]}.
type AcquirerKeys struct {
	Key string `json:"key"` // of our requests
	// NoticeSecrets sign the acquirer's notices: the current secret, and the one before. Without any, the platform
	// refuses notices, and learns late outcomes by asking.
	NoticeSecrets []string `json:"notices,omitempty"`
}

// maxNoticeSecrets is the maximum number of secrets for notices.
const maxNoticeSecrets = 2

// AcquirerKeys returns the secrets of live mode's acquirer. It panics if the function does not declare them.
func (a *App) AcquirerKeys() AcquirerKeys {
	a.requireSecret(AcquirerSecret)
	return a.AcquirerSecret
}

func (e *environment) readAcquirerKeys(name string) AcquirerKeys {
	var keys AcquirerKeys
	text := e.require(name)
	if err := json.Unmarshal([]byte(text), &keys); text != "" && (err != nil || keys.Key == "" ||
		len(keys.NoticeSecrets) > maxNoticeSecrets || slices.Contains(keys.NoticeSecrets, "")) {
		e.fail(name + ` must be a JSON object with "key" and at most two "notices"`)
	}
	return keys
}

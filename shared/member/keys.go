package member

// Keys decides whether the API keys that a member made end when the member is disabled or removed (contract §8.2).
type Keys bool

// The choices.
const (
	EndKeys  Keys = false
	KeepKeys Keys = true
)

// KeysChoice is the query parameter keep_api_keys of the operations that disable or remove a member.
type KeysChoice struct {
	KeepKeys *bool `query:"keep_api_keys"` // nil: the merchant's setting decides
}

// Or returns the choice in the request. Without a choice it returns the merchant's setting
// (merchant.Settings.KeepKeys).
func (c KeysChoice) Or(setting bool) Keys {
	if c.KeepKeys != nil {
		return Keys(*c.KeepKeys)
	}
	return Keys(setting)
}

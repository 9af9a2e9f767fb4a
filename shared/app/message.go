package app

// CallbackMessage is the body of a message in the callback queue: it only
// names the callback, whose item says everything else.
type CallbackMessage struct {
	ID string `json:"callback"`
}

// PayoutMessage is the body of a message in the payout queue: it only names
// the payout, whose item says where it stands.
type PayoutMessage struct {
	Tenant string `json:"tenant"`
	ID     string `json:"payout"`
}

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

// PollMessage is the body of a message in the poll queue: it only names the
// checkout or the refund, whose item says whether there is anything to ask.
type PollMessage struct {
	Tenant   string `json:"tenant"`
	Checkout string `json:"checkout,omitempty"`
	Refund   string `json:"refund,omitempty"`
}

package app

// CallbackMessage is the body of a message in the callback queue: it only
// names the callback, whose item says everything else.
type CallbackMessage struct {
	ID string `json:"callback"`
}

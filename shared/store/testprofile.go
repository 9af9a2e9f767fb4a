package store

import "github.com/cashwrap/cashwrap/shared/member"

type testProfileItem struct {
	key
	WriteID string `dynamo:"write_id"`
	member.TestProfile
}

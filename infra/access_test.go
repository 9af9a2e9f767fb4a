package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/store"
)

// statement is a policy statement. Its fields are lists where IAM also accepts single values.
type statement struct {
	effect     string
	actions    []string
	resources  []any
	conditions map[string]map[string]any
}

func statements(document any) []statement {
	var all []statement
	for _, raw := range document.(map[string]any)["Statement"].([]any) {
		s := raw.(map[string]any)
		one := statement{effect: s["Effect"].(string), resources: asList(s["Resource"])}
		one.conditions = map[string]map[string]any{}
		for operator, condition := range asObject(s["Condition"]) {
			one.conditions[operator] = condition.(map[string]any)
		}
		for _, action := range asList(s["Action"]) {
			one.actions = append(one.actions, action.(string))
		}
		all = append(all, one)
	}
	return all
}

func asObject(v any) map[string]any {
	members, _ := v.(map[string]any)
	return members
}

func asList(v any) []any {
	if many, ok := v.([]any); ok {
		return many
	}
	return []any{v}
}

// roleOf returns a function's role and its rights, from IAM action to resources.
func (s *synthesis) roleOf(t *testing.T, stage, name string) (id string, allowed map[string][]string) {
	t.Helper()
	_, f := s.function(t, stage, name)
	for id, r := range s.all("AWS::IAM::Role") {
		if toJSON(f.Properties["Role"]) == toJSON(arn(id)) {
			if r.Properties["ManagedPolicyArns"] != nil || r.Properties["Policies"] != nil {
				t.Errorf("%s: got policies %v and %v, want only its own", id, r.Properties["ManagedPolicyArns"],
					r.Properties["Policies"])
			}
			return id, s.allowed(id)
		}
	}
	t.Fatalf("%s: got role %s, want one of this stack", name, toJSON(f.Properties["Role"]))
	return "", nil
}

func (s *synthesis) allowed(role string) map[string][]string {
	allowed := map[string][]string{}
	for _, r := range s.all("AWS::IAM::Policy") {
		if toJSON(r.Properties["Roles"]) != toJSON([]any{ref(role)}) {
			continue
		}
		for _, one := range statements(r.Properties["PolicyDocument"]) {
			for _, action := range one.actions {
				for _, on := range one.resources {
					allowed[action] = append(allowed[action], toJSON(on)+one.condition())
				}
			}
		}
	}
	return allowed
}

// condition returns the statement's conditions as text.
func (s statement) condition() string {
	if len(s.conditions) == 0 {
		return ""
	}
	return " if " + toJSON(s.conditions)
}

// kindsCondition returns the condition that limits a statement to partitions of the kinds and to requests with a key.
func kindsCondition(kinds []string) string {
	if len(kinds) == 0 {
		return ""
	}
	return statement{conditions: map[string]map[string]any{
		"ForAllValues:StringLike": {leadingKeys: keyPatterns(kinds...)}, "Null": {leadingKeys: "false"}}}.condition()
}

// TestAddRole_ExactRights checks that each role allows exactly the needed actions, resources and kinds.
func TestAddRole_ExactRights(t *testing.T) {
	t.Parallel()
	s, owners := inDev(t), map[string]string{}
	for _, f := range functions.All {
		role, got := s.roleOf(t, dev, f.Name)
		if other, taken := owners[role]; taken {
			t.Errorf("%s and %s: got the role %s of both, want two", f.Name, other, role)
		}
		owners[role] = f.Name
		want := s.wantedRights(t, f)
		for action, on := range got {
			slices.Sort(on)
			if expected := want[action]; !slices.Equal(on, expected) {
				t.Errorf("%s: got %s on %v, want %v", f.Name, action, on, expected)
			}
		}
		for action := range want {
			if got[action] == nil {
				t.Errorf("%s: got %v, want %s in it", f.Name, got, action)
			}
		}
	}
}

// wantedRights returns the rights that functions/access.json and the function's caller require.
func (s *synthesis) wantedRights(t *testing.T, f functions.Function) map[string][]string {
	t.Helper()
	log, _ := s.named(t, "AWS::Logs::LogGroup", "LogGroupName", "/aws/lambda/cashwrap-dev-"+f.Name)
	table, _ := s.named(t, tableKind, "TableName", "cashwrap-dev")
	want := map[string][]string{}
	add := func(on any, actions ...string) {
		for _, action := range actions {
			want[action] = append(want[action], toJSON(on))
			slices.Sort(want[action])
		}
	}
	add(arn(log), "logs:CreateLogStream", "logs:PutLogEvents")
	if len(f.Access().Secrets) > 0 {
		add(arn(s.keyOf(t, "environments")), "kms:Decrypt")
	}
	if len(f.Access().Table) > 0 || f.Stream != nil {
		through := statement{conditions: map[string]map[string]any{"StringEquals": {"kms:ViaService": map[string]any{
			"Fn::Join": []any{"", []any{"dynamodb.", ref("AWS::Region"), ".amazonaws.com"}}}}}}
		for _, action := range tableKeyActions {
			want[action] = append(want[action], toJSON(arn(s.keyOf(t, "table")))+through.condition())
			slices.Sort(want[action])
		}
	}
	for _, right := range f.Access().Table {
		on := toJSON(arn(table))
		if right.Index != "" {
			if !slices.ContainsFunc(store.Indexes, func(i store.Index) bool { return i.Name == right.Index }) {
				t.Errorf("%s: got index %q, want one of %v", f.Name, right.Index, store.Indexes)
			}
			on = toJSON(below(table, "/index/"+right.Index))
		}
		action := "dynamodb:" + right.Action
		want[action] = append(want[action], on+kindsCondition(right.Kinds))
		slices.Sort(want[action])
	}
	if f.Access().Objects {
		s.addObjectRights(t, want)
	}
	send := func(name string) { id, _ := s.queue(t, dev, name); add(arn(id), "sqs:SendMessage") }
	for _, q := range f.Access().Sends {
		send(q.Name)
	}
	if f.Queue != nil {
		id, _ := s.queue(t, dev, f.Queue.From.Name)
		add(arn(id), "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes")
	}
	if f.Stream != nil {
		send(f.Name + "-dead")
		add(attributeOf(table, "StreamArn"), "dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator")
		add(below(table, "/stream/*"), "dynamodb:ListStreams")
	}
	return want
}

// addObjectRights adds the rights to reach files' content. These rights cover only the content's prefix, and only our
// bucket.
func (s *synthesis) addObjectRights(t *testing.T, want map[string][]string) {
	t.Helper()
	id, _ := s.bucket(t)
	ours := map[string]map[string]any{"StringEquals": {"s3:ResourceAccount": ref("AWS::AccountId")}}
	for _, action := range []string{"GetObject", "GetObjectVersion", "PutObject", "DeleteObjectVersion"} {
		want["s3:"+action] = []string{toJSON(below(id, "/files/*")) + statement{conditions: ours}.condition()}
	}
	ours["StringLikeIfExists"] = map[string]any{"s3:prefix": "files/*"}
	for _, action := range []string{"ListBucket", "ListBucketVersions"} {
		want["s3:"+action] = []string{toJSON(arn(id)) + statement{conditions: ours}.condition()}
	}
	through := statement{conditions: map[string]map[string]any{"StringEquals": {"kms:ViaService": map[string]any{
		"Fn::Join": []any{"", []any{"s3.", ref("AWS::Region"), ".amazonaws.com"}}}}}}
	for _, action := range []string{"kms:Decrypt", "kms:GenerateDataKey"} {
		want[action] = append(want[action], toJSON(arn(s.keyOf(t, "files")))+through.condition())
		slices.Sort(want[action])
	}
}

func below(table, path string) any {
	return map[string]any{"Fn::Join": []any{"", []any{arn(table), path}}}
}

// wildcards lists the wildcards that AWS requires, with the reasons.
var wildcards = map[string]string{
	`kms:* on "*"`: "a key's policy: the star is this key, and without the account's own right " +
		"nobody could manage it",
	"dynamodb:ListStreams on stream/*":  "lists all streams of the one table",
	"sqs:* on its own queue, in denial": "whatever comes without TLS is denied",
	"s3:* on its own bucket, in denial": "likewise, and who reaches objects but the functions that are there for it",
	"the table's own denials":           "a policy cannot name the table that it is part of",
	"s3:GetObject on files/*":           readsObjects,
	"s3:GetObjectVersion on files/*":    readsObjects,
	"s3:PutObject on files/*":           readsObjects,
	"s3:DeleteObjectVersion on files/*": readsObjects,
}

const readsObjects = "each file has an object of its own, under a random key"

func TestPolicies_KnownWildcardsOnly(t *testing.T) {
	t.Parallel()
	met := map[string]bool{}
	for id, r := range inProd(t).resources {
		documents := []any{r.Properties["PolicyDocument"], r.Properties["KeyPolicy"],
			r.Properties["AssumeRolePolicyDocument"], tablePolicy(r)}
		for _, document := range documents {
			if document == nil {
				continue
			}
			for _, wildcard := range wildcardsOf(statements(document)) {
				met[wildcard] = true
				if wildcards[wildcard] == "" {
					t.Errorf("%s: got %s, want a known wildcard", id, wildcard)
				}
			}
		}
	}
	for wildcard := range wildcards {
		if !met[wildcard] {
			t.Errorf("got no policy with %s, want one", wildcard)
		}
	}
}

func wildcardsOf(all []statement) []string {
	var found []string
	for _, s := range all {
		for _, action := range s.actions {
			for _, on := range s.resources {
				where := toJSON(on)
				switch {
				case s.effect == "Deny" && strings.HasPrefix(action, "dynamodb:") && where == `"*"`:
					found = append(found, "the table's own denials")
				case s.effect == "Deny" && action == "s3:*":
					found = append(found, "s3:* on its own bucket, in denial")
				case s.effect == "Allow" && strings.Contains(where, "/files/*"):
					found = append(found, action+" on files/*")
				case s.effect == "Deny" && strings.HasSuffix(action, ":*"):
					found = append(found, action+" on its own queue, in denial")
				case strings.Contains(where, "/stream/*"):
					found = append(found, action+" on stream/*")
				case strings.Contains(action, "*"), strings.Contains(where, "*"):
					found = append(found, action+" on "+where)
				}
			}
		}
	}
	return found
}

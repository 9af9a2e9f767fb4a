package main

import (
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"

	"github.com/cashwrap/cashwrap/shared/store"
)

// credentialKinds are the kinds of credentials. A function that writes them could become a merchant or a stronger
// member, or get a merchant's key, client or token.
var credentialKinds = []store.Kind{store.KindAPIKey, store.KindAccessToken, store.KindOAuthClient, store.KindCode,
	store.KindGrant, store.KindSignIn, store.KindFactor, store.KindTestProfiles, store.KindMembers, store.KindRoles,
	store.KindUser, store.KindEmail, store.KindMemberships, store.KindInvitation, store.KindPasswordLink,
	store.KindMerchant}

// Actions that could change entries. BatchWriteItem can overwrite without a condition. PartiQL has separate actions.
var (
	changeActions  = []string{"dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem"}
	putActions     = []string{"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:BatchWriteItem"}
	deleteActions  = []string{"dynamodb:DeleteItem"}
	partiQLActions = []string{"dynamodb:PartiQLInsert", "dynamodb:PartiQLUpdate", "dynamodb:PartiQLDelete",
		"dynamodb:PartiQLSelect"}
)

// protectTable denies changes of journal and audit entries to all principals. Writes of credentials are denied to all
// principals except the functions that write these credentials (shared/store/keys.go). Unlike the roles' policies, the
// table's policy also binds functions that are added later, operators, and anyone who adds a policy to a role. To
// change an entry, an operator must change the stack first. PartiQL is denied, because no function uses it and because
// a PartiQL statement need not name a key.
//
// These denials exempt DynamoDB's service-linked role, which replicates the table. No principal can assume that role
// (AWS: "DynamoDB global tables security").
func (p *platform) protectTable() {
	replication := "arn:" + *p.stack.Partition() + ":iam::" + *p.stack.Account() +
		":role/aws-service-role/replication.dynamodb.amazonaws.com/AWSServiceRoleForDynamoDBReplication"
	p.deny("NobodyChangesTheJournal", changeActions, []string{replication}, store.KindJournal)
	p.deny("NobodyChangesAnAudit", changeActions, []string{replication}, store.KindAudit)
	for _, kind := range credentialKinds {
		writers, putters := []string{replication}, []string{replication}
		for _, f := range p.functions {
			access := f.Access()
			if access.Writes(string(kind)) {
				writers = append(writers, *f.role.RoleArn())
			}
			if access.Puts(string(kind)) {
				putters = append(putters, *f.role.RoleArn())
			}
		}
		name := pascal(strings.ToLower(string(kind)))
		if len(putters) == len(writers) {
			p.deny("OnlyItsWritersWrite"+name, append(putActions[:len(putActions):len(putActions)], deleteActions...),
				writers, kind)
			continue
		}
		p.deny("OnlyItsWritersPut"+name, putActions, putters, kind) // other writers may only delete
		p.deny("OnlyItsWritersDelete"+name, deleteActions, writers, kind)
	}
	p.deny("NobodyUsesPartiQL", partiQLActions, nil, "")
}

// deny denies the actions on partitions of the kind, or on all partitions if kind is empty. The principals in but are
// exempt.
func (p *platform) deny(id string, actions, but []string, kind store.Kind) {
	statement := awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Sid: &id, Effect: awsiam.Effect_DENY, Actions: jsii.Strings(actions...),
		Principals: &[]awsiam.IPrincipal{awsiam.NewAnyPrincipal()},
		Resources:  jsii.Strings("*"), // means this table, because a policy cannot name its own resource
	})
	if kind != "" {
		statement.AddCondition(text("ForAnyValue:StringLike"), map[string]any{leadingKeys: keyPatterns(string(kind))})
	}
	if len(but) > 0 {
		statement.AddCondition(text("ArnNotEquals"), map[string]any{"aws:PrincipalArn": but})
	}
	p.table.AddToResourcePolicy(statement)
}

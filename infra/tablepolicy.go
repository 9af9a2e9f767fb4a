package main

import (
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"

	"github.com/cashwrap/cashwrap/shared/store"
)

// credentials are kinds that can make one a merchant, a stronger member, or a merchant's key, client or token.
var credentials = []store.Kind{store.KindAPIKey, store.KindAccessToken, store.KindOAuthClient, store.KindCode,
	store.KindGrant, store.KindSignIn, store.KindFactor, store.KindTestProfiles, store.KindMembers, store.KindRoles,
	store.KindUser, store.KindEmail, store.KindMemberships, store.KindInvitation, store.KindMerchant}

// Actions that could change entries. A batch can overwrite without conditions. PartiQL has separate actions.
var (
	changes  = []string{"dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem"}
	puts     = []string{"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:BatchWriteItem"}
	deletes  = []string{"dynamodb:DeleteItem"}
	partiQLs = []string{"dynamodb:PartiQLInsert", "dynamodb:PartiQLUpdate", "dynamodb:PartiQLDelete",
		"dynamodb:PartiQLSelect"}
)

// protectTable denies all principals changes of journal and audit entries, and writes of credentials by functions other
// than their writers (shared/store/keys.go). Unlike roles', the table's policy also binds later functions, operators,
// and anybody who adds a policy to a role. To change an entry, change the stack first. PartiQL is denied, because it is
// unused and may name no key.
//
// Denials exclude DynamoDB's service-linked role, which replicates and which nobody can assume (AWS: "DynamoDB global
// tables security").
func (p *platform) protectTable() {
	replication := "arn:" + *p.stack.Partition() + ":iam::" + *p.stack.Account() +
		":role/aws-service-role/replication.dynamodb.amazonaws.com/AWSServiceRoleForDynamoDBReplication"
	p.deny("NobodyChangesTheJournal", changes, []string{replication}, store.KindJournal)
	p.deny("NobodyChangesAnAudit", changes, []string{replication}, store.KindAudit)
	for _, kind := range credentials {
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
			p.deny("OnlyItsWritersWrite"+name, append(puts[:len(puts):len(puts)], deletes...), writers, kind)
			continue
		}
		p.deny("OnlyItsWritersPut"+name, puts, putters, kind) // others may only delete
		p.deny("OnlyItsWritersDelete"+name, deletes, writers, kind)
	}
	p.deny("NobodyUsesPartiQL", partiQLs, nil, "")
}

// deny denies actions on partitions of the kind, or on all, to everyone but some.
func (p *platform) deny(id string, actions, but []string, kind store.Kind) {
	statement := awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Sid: &id, Effect: awsiam.Effect_DENY, Actions: jsii.Strings(actions...),
		Principals: &[]awsiam.IPrincipal{awsiam.NewAnyPrincipal()},
		Resources:  jsii.Strings("*"), // this table: a policy cannot name the resource that it is part of
	})
	if kind != "" {
		statement.AddCondition(text("ForAnyValue:StringLike"), map[string]any{leadingKeys: keysOf(string(kind))})
	}
	if len(but) > 0 {
		statement.AddCondition(text("ArnNotEquals"), map[string]any{"aws:PrincipalArn": but})
	}
	p.table.AddToResourcePolicy(statement)
}

/** Calls that are given something else than they take: refused before anything is kept, with what to give. */
import { defineAgent } from '@dogear/core'
import { say, scriptedModel } from '@dogear/testing'
import type { Session } from '@dogear/worker'
import { expect, test } from 'vitest'
import { device } from './device.ts'

// The casts: what is written in JavaScript, or comes from elsewhere, is of any type.
const nothing = undefined as never
const any = (value: unknown) => value as never

test.each<[string, (session: Session) => PromiseLike<unknown>, RegExp]>([
  ['goto(undefined)', (session) => session.goto(nothing), /goto\(\).*messageId.*null/],
  ['rewind(undefined)', (session) => session.rewind(nothing), /rewind\(\).*messageId.*null/],
  ['edit(undefined, text)', (session) => session.edit(nothing, 'x'), /edit\(\).*messageId/],
  ['edit(id, undefined)', (session) => session.edit('id', nothing), /edit\(\).*content/],
  ['regenerate(5)', (session) => session.regenerate(any(5)), /regenerate\(\).*messageId/],
  ['approve(undefined)', (session) => session.approve(nothing), /resolve\(\).*requestId/],
  ['resolve(id, { type: yes })', (session) => session.resolve('id', any({ type: 'yes' })), /resolution.*approve/],
  ['resolveAll(id)', (session) => session.resolveAll(any('id'), { type: 'cancel' }), /resolveAll\(\).*requestIds/],
  ['answer(id, text)', (session) => session.answer('id', any('Lisbon')), /resolve\(\).*answers/],
  ['editPlan(undefined)', (session) => session.editPlan(nothing), /editPlan\(\).*change.*operation/],
  ['send(undefined)', (session) => session.send(nothing), /send\(\).*content.*text/],
  ['send({ text })', (session) => session.send(any({ text: 'hi' })), /send\(\).*content/],
  ['send a part of another kind', (session) => session.send(any([{ type: 'file', file: {} }])), /content.*image_url/],
  ['editQueued(undefined)', (session) => session.editQueued(nothing, {}), /editQueued\(\).*target/],
  ['a function', (session) => session.send(any(() => 'hi')), /could not be cloned/],
  ['rename(undefined)', (session) => session.rename(nothing), /rename\(\).*title/],
  ['rename with blanks', (session) => session.rename('  '), /title must be text of 1 to 200/],
  ['rename with too much', (session) => session.rename('x'.repeat(201)), /title must be text of 1 to 200/],
  ['set a tag that is too long', (session) => session.set({ tag: 'x'.repeat(201) }), /tag must be text of 1 to 200/],
  ['set a model that is none', (session) => session.set({ model: any(5) }), /set\(\).*settings/],
  ['set a mode that is none', (session) => session.set({ mode: 'fast' }), /mode/],
  ['set a mode that is not allowed', (session) => session.set({ mode: 'bypassPermissions' }), /bypassPermissions/],
  ['setMode with one that is none', (session) => session.setMode(any('fast')), /mode/],
])('[G12] %s is refused at once, and the session goes on', async (_call, act, message) => {
  const tab = device().tab({ model: scriptedModel(() => say('Fine.')) })
  const session = await tab.open()
  await session.send('One')
  const refused = { code: 'input-invalid', message: expect.stringMatching(message) }
  await expect((async () => act(session))()).rejects.toMatchObject(refused)
  expect(session.connection.value.type).toBe('online')
  expect(session.unsaved.value).toEqual([])
  expect(await session.send('Two')).toMatchObject({ text: 'Fine.' })
  expect(tab.warnings).toEqual([])
})

test('[G12] what the list is told to change is looked at, too, also of a session that is open nowhere', async () => {
  const here = device()
  const before = here.tab({ model: scriptedModel(() => say('Fine.')) })
  await (await before.open()).send('One')
  before.kill()
  const { name } = defineAgent({ name: 'tester' })
  const command = { type: 'set', settings: { tag: any(5) }, commandId: 'c1', sessionId: 's1', at: 1 } as const
  const asking = here.tab({}).client.ask({ type: 'change', agent: name, sessionId: 's1', command })
  await expect(asking).rejects.toMatchObject({ code: 'input-invalid' })
  expect(await here.store.inbox('s1')).toEqual([])
})

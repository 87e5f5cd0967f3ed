/**
 * "Plan a weekend in Lisbon": plan → question → search → booking with approval → summary.
 *
 * Every stage uses a tool, and a stage whose tool is not offered is passed over. Where the script stands is read off
 * the calls already made, so a reload in the middle changes nothing.
 */
import { guessArguments, type Hints } from '../guess-arguments.ts'
import type { Reply, Script } from '../reply.ts'
import { readOutcome } from '../tool-outcome.ts'
import { lastUse, offers, type Transcript } from '../transcript.ts'
import { type Trip, tripFrom } from '../trip/trip.ts'
import { summarise } from '../trip/summarise.ts'
import { isClosed, type PlanStatus, planSteps, planUpdate } from '../trip/trip-plan.ts'

export const planTrip: Script = (transcript) => {
  if (!isAboutTrip.test(transcript.said)) return undefined
  const trip = tripFrom(transcript)
  for (const stage of [layOutPlan, askPreferences, searchHotels, bookHotel, closePlan]) {
    const answer = stage(transcript, trip)
    if (answer !== undefined) return answer
  }
  return { text: summarise(trip) }
}

const isAboutTrip =
  /\b(trip|getaway|itinerary|city break|holiday|vacation)\b|\b(plan|spend|arrange|organi[sz]e)\b.*\b(weekend|days?|nights?)\b|\b(weekend|nights?|days?) in\b/i

type Stage = (transcript: Transcript, trip: Trip) => Reply | undefined

const layOutPlan: Stage = (transcript, trip) => {
  if (!isNext(transcript, 'manage_todo_list')) return undefined
  return {
    reasoning: `They want ${trip.length} in ${trip.city}. I know neither the budget nor the part of town they like, so I should ask before I search. A booking costs money: I will propose one, and the page will ask them before anything happens. Plan first, then one step at a time.`,
    text: `${trip.length === 'a weekend' ? 'A weekend' : 'A stay'} in ${trip.city} is a lovely idea. Let me lay out the steps first.`,
    calls: [{ name: 'manage_todo_list', args: { operation: 'write', todoList: planSteps(trip) } }],
  }
}

const askPreferences: Stage = (transcript, trip) => {
  if (!isNext(transcript, 'ask_user_question')) return undefined
  return {
    text: 'Two quick questions, so that I choose well.',
    calls: [{ name: 'ask_user_question', args: { questions: [budgetQuestion, areaQuestion(trip)] } }],
  }
}

const searchHotels: Stage = (transcript, trip) => {
  if (!isNext(transcript, 'search_hotels')) return undefined
  const opening = trip.hasSkippedQuestions ? 'No answer is fine; I will assume' : 'Thank you. Looking for'
  return {
    text: `${opening} something ${trip.budget.toLowerCase()} around ${trip.area}.`,
    calls: [...update(transcript, trip, { 1: 'completed', 2: 'in-progress' }), call(transcript, 'search_hotels', trip)],
  }
}

const bookHotel: Stage = (transcript, trip) => {
  if (trip.hotel === undefined || !isNext(transcript, 'book_hotel')) return undefined
  const reason = trip.hasSearched ? 'fits what you asked for best' : 'is where I would stay'
  return {
    text: `**${trip.hotel}** ${reason}. I would like to reserve ${trip.nights === 1 ? 'one night' : `${trip.nights} nights`}; nothing is booked unless you approve.`,
    calls: [
      ...update(transcript, trip, { 1: 'completed', 2: 'completed', 3: 'in-progress' }),
      call(transcript, 'book_hotel', trip),
    ],
  }
}

const closePlan: Stage = (transcript, trip) => {
  const use = lastUse(transcript, 'manage_todo_list')
  if (use === undefined || isClosed(use.args)) return undefined
  const room: PlanStatus = trip.booking === undefined || trip.booking.type === 'done' ? 'completed' : 'blocked'
  return {
    calls: update(transcript, trip, {
      1: 'completed',
      2: trip.hotel === undefined ? 'blocked' : 'completed',
      3: room,
      4: 'completed',
    }),
  }
}

function isNext(transcript: Transcript, tool: string): boolean {
  return offers(transcript, tool) && lastUse(transcript, tool) === undefined
}

function update(transcript: Transcript, trip: Trip, statuses: Readonly<Record<number, PlanStatus>>) {
  const use = lastUse(transcript, 'manage_todo_list')
  if (use === undefined || readOutcome(use.result).type !== 'done') return []
  return [{ name: 'manage_todo_list', args: planUpdate(trip, statuses) }]
}

function call(transcript: Transcript, name: string, trip: Trip) {
  const schema = transcript.tools.find((tool) => tool.name === name)?.parameters
  const hints: Hints = {
    said: transcript.said,
    city: trip.city,
    area: trip.area,
    budget: trip.budget,
    nights: trip.nights,
    guests: 2,
    hotel: trip.hotel,
    name: trip.hotel,
    hotelId: trip.hotelId,
    id: trip.hotelId,
    checkIn: trip.checkIn,
  }
  return { name, args: guessArguments(schema, hints) }
}

const budgetQuestion = {
  question: 'What should a night cost?',
  header: 'Budget',
  options: [
    { label: 'Modest', description: 'Clean, simple, up to about 90 €' },
    { label: 'Comfortable', description: 'Some charm, up to about 160 €' },
    { label: 'Special', description: 'A view and a good breakfast' },
  ],
}

function areaQuestion({ city, areas }: Trip) {
  return {
    question: `Which part of ${city} would you like to wake up in?`,
    header: 'Area',
    options: areas.map(({ name, description }) => ({ label: name, description })),
  }
}

"""The month's ceiling: it narrows the day, ends it, and is kept over restarts."""

import datetime

import pytest

from soul.guard.config import GuardConfig
from soul.guard.energy import EnergyLedger
from soul.signals import MindState

NOON = datetime.datetime(2026, 12, 30, 12, tzinfo=datetime.timezone.utc).timestamp()
DAY = 86400.0


class Month:
    """A ledger whose mind costs what a test says."""

    def __init__(self, **config):
        self.config = GuardConfig(timezone='UTC', daily_tokens=0, daily_wakes=0, **config)
        self.ledger = EnergyLedger(self.config)
        self.now, self.cost = NOON, 0.0
        self.ledger.renew(self.now)

    def spend(self, dollars):
        self.cost += dollars
        self.ledger.count(MindState(epoch=1, cost=self.cost), self.now)
        return self.ledger.energy(self.now)

    def sleep(self, days=1):
        self.now += days * DAY
        self.ledger.renew(self.now)
        return self.ledger.energy(self.now)

    def restart(self):
        self.ledger = EnergyLedger(self.config, self.ledger.memory())
        self.ledger.renew(self.now)


def test_without_a_ceiling_only_the_day_counts():
    month = Month(daily_cost=2.0)
    energy = month.spend(1.0)
    assert (energy.cost_limit, energy.month_cost_limit) == (2.0, 0.0)
    assert energy.month_cost_used == pytest.approx(1.0)
    assert energy.level == pytest.approx(0.5)


def test_a_day_costs_no_more_than_is_left_of_the_month():
    month = Month(daily_cost=2.0, monthly_cost=2.5, reserve=0.1)
    assert month.spend(1.5).cost_limit == pytest.approx(2.0)
    energy = month.sleep()
    assert energy.cost_used == 0.0
    assert energy.cost_limit == pytest.approx(1.0)
    assert energy.level == 1.0
    energy = month.spend(0.8)
    assert energy.spent, 'the last tenth of the month is for her people'
    assert not energy.reserve_spent
    energy = month.spend(0.3)
    assert energy.reserve_spent
    assert energy.level == 0.0


def test_what_is_used_up_stays_so_over_a_restart_and_ends_with_the_month():
    month = Month(daily_cost=0.0, monthly_cost=1.0)
    assert month.spend(1.0).reserve_spent
    month.restart()
    assert month.ledger.energy(month.now).reserve_spent
    energy = month.sleep()
    assert energy.cost_used == 0.0
    assert energy.reserve_spent, 'another day, the same month'
    assert 0.0 < energy.cost_limit < 1e-3, 'no limit at all would be 0'
    energy = month.sleep()
    assert (energy.month_cost_used, energy.spent) == (0.0, False)


def test_a_clock_set_back_begins_no_month_again():
    month = Month(monthly_cost=1.0)
    month.sleep(5)
    month.spend(0.9)
    month.sleep(-10)
    assert month.ledger.energy(month.now).month_cost_used == pytest.approx(0.9)

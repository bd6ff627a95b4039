"""The plainest simulator: robots have the velocity they are told, the ball rolls on."""

import numpy as np

from swerve.soccer.eyes.pitch import pitch_named


class PlainWorld:
    def __init__(self):
        self.pitch, self.time = pitch_named("division-b"), 0.0
        self.pose, self.velocity, self.orders, self.kicks = {}, {}, {}, []
        self._ball = np.zeros(6)

    def robots(self):
        rows = [[*key, *pose, *self.velocity[key], 0.0] for key, pose in sorted(self.pose.items())]
        return np.array(rows).reshape(-1, 9)

    def ball(self):
        return self._ball

    def place_robot(self, team, number, pose, velocity):
        if pose is None:
            for kept in (self.pose, self.velocity, self.orders):
                kept.pop((team, number), None)
            return True
        if (team, number) not in self.pose and len(self.pose) == 22:
            return False
        self.pose[team, number], self.velocity[team, number] = np.array(pose), np.array(velocity)
        return True

    def place_ball(self, ball):
        self._ball = np.array(ball)

    def order(self, team, number, order):
        if (team, number) in self.pose:
            self.orders[team, number] = order
            if order.kick:
                self.kicks.append((team, number, order.kick, order.angle))

    def step(self, dt):
        for key, order in self.orders.items():
            pose, turn = self.pose[key], 0.0 if order.in_field else self.pose[key][2]
            cos, sin = np.cos(turn), np.sin(turn)
            velocity = [cos * order.vx - sin * order.vy, sin * order.vx + cos * order.vy, order.spin]
            self.velocity[key] = np.array(velocity)
            self.pose[key] = pose + dt * self.velocity[key]
        self._ball[:3] += dt * self._ball[3:]
        self.time += dt
        everything = np.concatenate([self._ball, *self.pose.values(), *self.velocity.values()])
        assert np.isfinite(everything).all()

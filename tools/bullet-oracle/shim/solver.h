// Impulses that keep the robot out of the floor and its joints within their limits.
#pragma once

#include <vector>

#include "BulletDynamics/Featherstone/btMultiBody.h"
#include "contacts.h"
#include "response.h"

// More coordinates than any robot may have: six of the base and one per joint.
constexpr int MAX_COORDINATES = 32;

struct JointLimit {
	int link;
	btScalar lower, upper;
};

// One inequality on the robot's velocity, J v >= b, enforced by an impulse within bounds.
struct Row {
	btScalar jacobian[MAX_COORDINATES];
	btScalar response[MAX_COORDINATES];  // change of velocity by a unit impulse
	btScalar inverse_mass_factor;        // 1 / (J response), or 0 if the impulse moves nothing
	btScalar goal;                       // impulse that would do if no other row acted
	btScalar impulse;
	btScalar lower, upper;
};

struct ContactRows {
	Row normal, across, along;
	btScalar friction;
};

struct SolverSettings {
	btScalar time_step, contact_erp;
	int iterations;
};

// Bullet's projected Gauss-Seidel for one articulated body against a floor that does not move.
//
// It does Bullet's arithmetic in Bullet's order. What it leaves out contributes exact zeros: the floor's half of every contact row, the empty
// half of every limit row, and motors without force.
class Solver {
public:
	Solver(const SolverSettings& settings, std::vector<JointLimit> limits) : m_settings(settings), m_limits(std::move(limits)) {}

	// Changes the robot's velocity; its accelerations must have been computed for the current pose.
	void solve(btMultiBody& robot, const FloorContacts& contacts);

private:
	void add_contact(const btMultiBody& robot, int link, const btManifoldPoint& point);
	void add_limit(const btMultiBody& robot, const JointLimit& limit);
	void prepare(const btMultiBody& robot, int link, Row& row);
	bool drives_no_joint(const Row& row) const;
	btScalar sweep(int iteration);
	btScalar relax(Row& row);
	btScalar relax_friction(ContactRows& contact);
	btScalar closing_speed(const Row& row) const;
	void apply(const Row& row, btScalar impulse);

	SolverSettings m_settings;
	Response m_response;
	std::vector<JointLimit> m_limits;
	btAlignedObjectArray<FloorContact*> m_touching;
	std::vector<Row> m_limit_rows;
	std::vector<ContactRows> m_contact_rows;
	int m_coordinates = 0;
	btScalar m_change[MAX_COORDINATES];  // of the robot's velocity so far

};
